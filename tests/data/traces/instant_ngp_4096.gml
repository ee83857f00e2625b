graph [
  directed 1
  node [
    id 0
    label "nerfstudio.model_components.ray_samplers.VolumetricSampler.forward[(4096,)->(115175,),(115175,)]#1"
    func_name "nerfstudio.model_components.ray_samplers.VolumetricSampler.forward"
    input_shapes "(4096,)"
    output_shapes "(115175,),(115175,)"
    count 1
  ]
  node [
    id 1
    label "nerfstudio.field_components.encodings.HashEncoding.forward[(115175, 3)->(115175, 32)]#1"
    func_name "nerfstudio.field_components.encodings.HashEncoding.forward"
    input_shapes "(115175, 3)"
    output_shapes "(115175, 32)"
    count 1
  ]
  node [
    id 2
    label "nerfstudio.field_components.mlp.MLP.forward[(115175, 32)->(115175, 16)]#1"
    func_name "nerfstudio.field_components.mlp.MLP.forward"
    input_shapes "(115175, 32)"
    output_shapes "(115175, 16)"
    count 1
  ]
  node [
    id 3
    label "nerfstudio.field_components.mlp.MLPWithHashEncoding.forward[(115175, 3)->(115175, 16)]#1"
    count 1
    func_name "nerfstudio.field_components.mlp.MLPWithHashEncoding.forward"
    input_shapes "(115175, 3)"
    output_shapes "(115175, 16)"
  ]
  node [
    id 4
    label "nerfstudio.fields.nerfacto_field.NerfactoField.get_density[(115175,)->(115175, 1),(115175, 15)]#1"
    count 1
    func_name "nerfstudio.fields.nerfacto_field.NerfactoField.get_density"
    input_shapes "(115175,)"
    output_shapes "(115175, 1),(115175, 15)"
  ]
  node [
    id 5
    label "nerfstudio.field_components.encodings.SHEncoding.forward[(115175, 3)->(115175, 16)]#1"
    func_name "nerfstudio.field_components.encodings.SHEncoding.forward"
    input_shapes "(115175, 3)"
    output_shapes "(115175, 16)"
    count 1
  ]
  node [
    id 6
    label "nerfstudio.field_components.mlp.MLP.forward[(115175, 63)->(115175, 3)]#1"
    func_name "nerfstudio.field_components.mlp.MLP.forward"
    input_shapes "(115175, 63)"
    output_shapes "(115175, 3)"
    count 1
  ]
  node [
    id 7
    label "nerfstudio.fields.nerfacto_field.NerfactoField.get_outputs[(115175,),(115175, 15)->(115175, 3)]#1"
    count 1
    func_name "nerfstudio.fields.nerfacto_field.NerfactoField.get_outputs"
    input_shapes "(115175,),(115175, 15)"
    output_shapes "(115175, 3)"
  ]
  node [
    id 8
    label "nerfacc.pack_info[(115175,)->(4096, 2)]#1"
    func_name "nerfacc.pack_info"
    input_shapes "(115175,)"
    output_shapes "(4096, 2)"
    count 1
  ]
  node [
    id 9
    label "nerfacc.render_weight_from_density[(115175,),(115175,),(115175,),(4096, 2)->(115175,),(115175,)]#1"
    func_name "nerfacc.render_weight_from_density"
    input_shapes "(115175,),(115175,),(115175,),(4096, 2)"
    output_shapes "(115175,),(115175,)"
    count 1
  ]
  node [
    id 10
    label "nerfstudio.model_components.renderers.RGBRenderer.forward[(115175, 3),(115175, 1),(115175,)->(4096, 3)]#1"
    func_name "nerfstudio.model_components.renderers.RGBRenderer.forward"
    input_shapes "(115175, 3),(115175, 1),(115175,)"
    output_shapes "(4096, 3)"
    count 1
  ]
  node [
    id 11
    label "nerfstudio.model_components.renderers.DepthRenderer.forward[(115175, 1),(115175,),(115175,)->(4096, 1)]#1"
    func_name "nerfstudio.model_components.renderers.DepthRenderer.forward"
    input_shapes "(115175, 1),(115175,),(115175,)"
    output_shapes "(4096, 1)"
    count 1
  ]
  node [
    id 12
    label "nerfstudio.model_components.renderers.AccumulationRenderer.forward[(115175, 1),(115175,)->(4096, 1)]#1"
    func_name "nerfstudio.model_components.renderers.AccumulationRenderer.forward"
    input_shapes "(115175, 1),(115175,)"
    output_shapes "(4096, 1)"
    count 1
  ]
  node [
    id 13
    label "nerfstudio.models.instant_ngp.NGPModel.get_outputs[(4096,)->(4096, 3),(4096, 1)]#1"
    count 1
    func_name "nerfstudio.models.instant_ngp.NGPModel.get_outputs"
    input_shapes "(4096,)"
    output_shapes "(4096, 3),(4096, 1)"
  ]
  edge [
    source 3
    target 1
    weight 1
  ]
  edge [
    source 3
    target 2
    weight 1
  ]
  edge [
    source 4
    target 3
    weight 1
  ]
  edge [
    source 7
    target 5
    weight 1
  ]
  edge [
    source 7
    target 6
    weight 1
  ]
  edge [
    source 13
    target 0
    weight 1
  ]
  edge [
    source 13
    target 4
    weight 1
  ]
  edge [
    source 13
    target 7
    weight 1
  ]
  edge [
    source 13
    target 8
    weight 1
  ]
  edge [
    source 13
    target 9
    weight 1
  ]
  edge [
    source 13
    target 10
    weight 1
  ]
  edge [
    source 13
    target 11
    weight 1
  ]
  edge [
    source 13
    target 12
    weight 1
  ]
]
