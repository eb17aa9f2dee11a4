/**
 * Unpacks what Draco has compressed (KHR_draco_mesh_compression), with Google's own decoder.
 *
 * @typedef {object} GeometryTask
 * @property {ArrayBuffer} bytes
 * @property {Record<string, number>} ids by name, the attribute's id in the compressed data
 * @property {Record<string, string>} types by name, the typed array of its numbers
 *
 * @typedef {{name: string, size: number, numbers: ArrayBufferView}} Attribute `size` numbers a corner
 * @typedef {{index: Uint32Array|null, attributes: Attribute[]}} Geometry
 */
import DracoDecoderModule from "three/examples/jsm/libs/draco/gltf/draco_wasm_wrapper.js";

import { serve, Unreadable } from "../decoder.js";

const ARRAYS = { Float32Array, Int8Array, Int16Array, Int32Array, Uint8Array, Uint16Array, Uint32Array };
/** Draco's name of each. */
const KINDS = {
  Float32Array: "DT_FLOAT32", Int8Array: "DT_INT8", Int16Array: "DT_INT16", Int32Array: "DT_INT32",
  Uint8Array: "DT_UINT8", Uint16Array: "DT_UINT16", Uint32Array: "DT_UINT32",
};

/** @type {Promise<{draco: any}> | undefined} */
let starting;

function started() {
  starting ??= (async () => {
    const response = await fetch(new URL("three/examples/jsm/libs/draco/gltf/draco_decoder.wasm", import.meta.url));
    if (!response.ok) throw new Error(`The decoder for Draco answers ${response.status}.`);
    const wasmBinary = await response.arrayBuffer();
    // The module has a `then` of its own that never ends: it must not be what a promise resolves to.
    return /** @type {Promise<{draco: any}>} */ (new Promise((resolve) => void DracoDecoderModule({ wasmBinary, onModuleLoaded: (/** @type {any} */ draco) => resolve({ draco }) })));
  })();
  return starting;
}

/**
 * @param {any} draco
 * @param {GeometryTask} task
 * @returns {Geometry}
 */
function unpack(draco, { bytes, ids, types }) {
  const decoder = new draco.Decoder();
  const packed = new Int8Array(bytes);
  const meshes = decoder.GetEncodedGeometryType(packed) === draco.TRIANGULAR_MESH;
  const geometry = meshes ? new draco.Mesh() : new draco.PointCloud();
  try {
    const status = meshes ? decoder.DecodeArrayToMesh(packed, packed.byteLength, geometry)
      : decoder.DecodeArrayToPointCloud(packed, packed.byteLength, geometry);
    if (!status.ok() || geometry.ptr === 0) throw new Unreadable(`Its Draco data is broken: ${status.error_msg()}.`);
    const attributes = Object.entries(ids).map(([name, id]) => {
      const attribute = decoder.GetAttributeByUniqueId(geometry, id);
      const type = /** @type {keyof typeof ARRAYS} */ (types[name] in ARRAYS ? types[name] : "Float32Array");
      return numbers(draco, decoder, geometry, attribute, name, type);
    });
    return { index: meshes ? corners(draco, decoder, geometry) : null, attributes };
  } finally {
    draco.destroy(geometry);
    draco.destroy(decoder);
  }
}

/**
 * @param {any} draco @param {any} decoder @param {any} geometry @param {any} attribute
 * @param {string} name
 * @param {keyof typeof ARRAYS} type
 * @returns {Attribute}
 */
function numbers(draco, decoder, geometry, attribute, name, type) {
  const size = attribute.num_components();
  const count = geometry.num_points() * size;
  const length = count * ARRAYS[type].BYTES_PER_ELEMENT;
  const place = draco._malloc(length);
  try {
    decoder.GetAttributeDataArrayForAllPoints(geometry, attribute, draco[KINDS[type]], length, place);
    return { name, size, numbers: new ARRAYS[type](draco.HEAPF32.buffer, place, count).slice() };
  } finally {
    draco._free(place);
  }
}

/** @param {any} draco @param {any} decoder @param {any} geometry */
function corners(draco, decoder, geometry) {
  const count = geometry.num_faces() * 3;
  const place = draco._malloc(count * 4);
  try {
    decoder.GetTrianglesUInt32Array(geometry, count * 4, place);
    return new Uint32Array(draco.HEAPF32.buffer, place, count).slice();
  } finally {
    draco._free(place);
  }
}

serve(async (/** @type {GeometryTask} */ task) => {
  const { draco } = await started();
  const value = unpack(draco, task);
  const arrays = [...value.attributes.map(({ numbers }) => numbers), ...(value.index ? [value.index] : [])];
  return { value, given: arrays.map(({ buffer }) => /** @type {ArrayBuffer} */ (buffer)) };
});
