/** The decoders' glue code as web/site/glue.mjs makes modules of it: each begins a WebAssembly module. */
declare module "three/examples/jsm/libs/basis/basis_transcoder.js" {
  export default function BASIS(options: { wasmBinary: ArrayBuffer }): Promise<any>;
}
declare module "three/examples/jsm/libs/draco/gltf/draco_wasm_wrapper.js" {
  export default function DracoDecoderModule(options: { wasmBinary: ArrayBuffer; onModuleLoaded: (draco: any) => void }): unknown;
}
