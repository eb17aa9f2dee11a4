/**
 * A glTF model on a canvas: laid into view, turned and brought near by its viewer. Only this module and those it imports
 * know three.js, and they are loaded when the first model is opened.
 *
 * @import {Form, Transcoded} from "./basis.js"
 * @import {Geometry, GeometryTask} from "./geometry-worker.js"
 * @import {Material, Object3D, Texture} from "three"
 *
 * @typedef {object} ModelFacts
 * @property {number} triangles
 * @property {number} meshes
 * @property {number} materials
 * @property {number} textures
 * @property {number} lost textures that could not be read
 * @property {[number, number, number]} size in the model's own units: wide, high, deep
 *
 * @typedef {object} ModelOptions
 * @property {(uri: string) => Promise<string|null>} locate the address of another file that the model names
 * @property {boolean} still nothing moves but what the viewer moves
 * @property {() => void} onLost the browser took the graphics away
 */
import {
  Box3, BufferAttribute, BufferGeometry, CompressedTexture, DirectionalLight, Group, HalfFloatType, HemisphereLight, LinearFilter,
  LinearMipmapLinearFilter, Loader, LoadingManager, Mesh, MeshStandardMaterial, NeutralToneMapping, PMREMGenerator, PerspectiveCamera, RGBAFormat, RGBA_ASTC_4x4_Format,
  RGBA_BPTC_Format, RGBA_ETC2_EAC_Format, RGBA_S3TC_DXT5_Format, RGB_ETC2_Format, RGB_S3TC_DXT1_Format, Scene, Sphere,
  UnsignedByteType, Vector3, WebGLRenderer,
} from "three";
import { OrbitControls } from "three/examples/jsm/controls/OrbitControls.js";
import { RoomEnvironment } from "three/examples/jsm/environments/RoomEnvironment.js";
import { MeshoptDecoder } from "three/examples/jsm/libs/meshopt_decoder.module.js";
import { GLTFLoader } from "three/examples/jsm/loaders/GLTFLoader.js";

import { Decoder, Unreadable } from "../decoder.js";

/** There is no WebGL here, or the browser gives out no more of it. */
export class NoGraphics extends Error {
  constructor() {
    super("There is no WebGL here.");
    this.name = "NoGraphics";
  }
}

const GLB = 0x46546c67;
/** From the front, a little from the right and from above. */
const OUTLOOK = new Vector3(0.55, 0.45, 1).normalize();
/** Pixels a side of the room that metal mirrors. It takes graphics made by software two seconds; the card, no time. */
const REFLECTED = 128;
/** Screens with more pixels than this to one of CSS's gain nothing but heat. */
const FINEST = 2;

/** three.js's number of each form, without and with transparency. @type {Record<Form, [number, number]>} */
const FORMATS = {
  bptc: [RGBA_BPTC_Format, RGBA_BPTC_Format], astc: [RGBA_ASTC_4x4_Format, RGBA_ASTC_4x4_Format],
  etc2: [RGB_ETC2_Format, RGBA_ETC2_EAC_Format], s3tc: [RGB_S3TC_DXT1_Format, RGBA_S3TC_DXT5_Format],
  rgba: [RGBAFormat, RGBAFormat], half: [RGBAFormat, RGBAFormat],
};

/** What unpacks textures kept as Basis Universal: GLTFLoader takes it for three's own loader of such. */
class BasisTextures extends Loader {
  /** @param {LoadingManager} manager @param {Form[]} wanted */
  constructor(manager, wanted) {
    super(manager);
    this.wanted = wanted;
    this.decoder = new Decoder(() => new Worker(new URL("./texture-worker.js", import.meta.url), { type: "module" }));
  }

  /**
   * @override
   * @param {string} url
   * @param {(texture: Texture) => void} onLoad
   * @param {unknown} _
   * @param {(error: unknown) => void} onError
   */
  load(url, onLoad, _, onError) {
    this.manager.itemStart(url);
    this.#read(url).then(onLoad, (error) => {
      this.manager.itemError(url);
      onError(error);
    }).finally(() => this.manager.itemEnd(url));
  }

  /** @param {string} url */
  async #read(url) {
    const bytes = await (await fetch(this.manager.resolveURL(url))).arrayBuffer();
    /** @type {Transcoded} */
    const { form, alpha, levels } = await this.decoder.ask({ kind: "levels", bytes, wanted: this.wanted }, [bytes]);
    const data = levels.map((level) => (form === "half" ? { ...level, data: new Uint16Array(level.data.buffer) } : level));
    const format = /** @type {import("three").CompressedPixelFormat} */ (FORMATS[form][alpha ? 1 : 0]);
    const texture = new CompressedTexture(/** @type {any} */ (data), levels[0].width, levels[0].height, format,
      form === "half" ? HalfFloatType : UnsignedByteType);
    texture.minFilter = levels.length > 1 ? LinearMipmapLinearFilter : LinearFilter;
    texture.magFilter = LinearFilter;
    texture.needsUpdate = true;
    return texture;
  }
}

/** What unpacks meshes kept as Draco: GLTFLoader takes it for three's own loader of such. */
class DracoMeshes {
  decoder = new Decoder(() => new Worker(new URL("./geometry-worker.js", import.meta.url), { type: "module" }));

  preload() {
    return this;
  }

  /**
   * @param {ArrayBuffer} bytes
   * @param {(geometry: BufferGeometry) => void} onLoad
   * @param {GeometryTask["ids"]} ids
   * @param {GeometryTask["types"]} types
   * @param {unknown} _
   * @param {(error: unknown) => void} onError
   */
  decodeDracoFile(bytes, onLoad, ids, types, _, onError) {
    this.decoder.ask({ bytes, ids, types }).then((/** @type {Geometry} */ { index, attributes }) => {
      const geometry = new BufferGeometry();
      if (index) geometry.setIndex(new BufferAttribute(index, 1));
      for (const { name, size, numbers } of attributes) {
        geometry.setAttribute(name, new BufferAttribute(/** @type {import("three").TypedArray} */ (numbers), size));
      }
      onLoad(geometry);
    }).catch(onError);
  }
}

/**
 * Where a model's other files are: those it holds as data: addresses, which the page's policy does not let it fetch, become
 * Blobs; those beside it come from the mod; whatever else it names is nowhere.
 */
class Surroundings {
  /** @type {Map<string, string>} */
  #addresses = new Map();
  /** @type {string[]} */
  #minted = [];

  /** @param {ArrayBuffer} bytes @param {ModelOptions["locate"]} locate */
  async look(bytes, locate) {
    await Promise.all(named(bytes).map(async (uri) => {
      const address = uri.startsWith("data:") ? this.#unpack(uri) : await locate(uri).catch(() => null);
      if (address) this.#addresses.set(uri, address);
    }));
  }

  /** @type {(url: string) => string} */
  address = (url) => (url.startsWith("blob:") ? url : this.#addresses.get(url) ?? "blob:nowhere");

  /** @param {string} uri */
  #unpack(uri) {
    const [head, body = ""] = uri.slice(0, 256).includes(",") ? [uri.slice(5, uri.indexOf(",")), uri.slice(uri.indexOf(",") + 1)] : ["", ""];
    const text = head.endsWith(";base64") ? atob(body) : decodeURIComponent(body);
    const url = URL.createObjectURL(new Blob([Uint8Array.from(text, (letter) => letter.charCodeAt(0))], { type: head.split(";")[0] }));
    this.#minted.push(url);
    return url;
  }

  dispose() {
    for (const url of this.#minted) URL.revokeObjectURL(url);
  }
}

/** The files a model names beside itself. @param {ArrayBuffer} bytes @returns {string[]} */
function named(bytes) {
  const view = new DataView(bytes);
  const isGlb = view.byteLength >= 20 && view.getUint32(0, true) === GLB;
  const json = isGlb ? new Uint8Array(bytes, 20, Math.min(view.getUint32(12, true), view.byteLength - 20)) : new Uint8Array(bytes);
  const document = JSON.parse(new TextDecoder().decode(json));
  const files = [document?.buffers, document?.images].flatMap((list) => (Array.isArray(list) ? list : []));
  return files.map((file) => file?.uri).filter((uri) => typeof uri === "string");
}

/**
 * Loads a model and shows it.
 *
 * @param {HTMLCanvasElement} canvas
 * @param {ArrayBuffer} bytes of a .glb or .gltf file
 * @param {ModelOptions} options
 * @returns {Promise<ModelView>} rejects with {@link NoGraphics}, or with {@link Unreadable}
 */
export async function openModel(canvas, bytes, options) {
  const context = canvas.getContext("webgl2", { alpha: true, antialias: true });
  if (!context || context.isContextLost()) throw new NoGraphics();
  const renderer = new WebGLRenderer({ canvas, context, alpha: true, antialias: true });
  // Asking each program how it compiled would wait for the driver.
  renderer.debug.checkShaderErrors = false;
  renderer.toneMapping = NeutralToneMapping;
  const surroundings = new Surroundings();
  const manager = new LoadingManager();
  const textures = new BasisTextures(manager, hardwareForms(context));
  const meshes = new DracoMeshes();
  let lost = 0;
  manager.onError = () => lost++;
  manager.setURLModifier(surroundings.address);
  try {
    await surroundings.look(bytes, options.locate);
    const loader = new GLTFLoader(manager);
    loader.setKTX2Loader(/** @type {any} */ (textures)).setDRACOLoader(/** @type {any} */ (meshes)).setMeshoptDecoder(MeshoptDecoder);
    const { scene } = await loader.parseAsync(bytes, "");
    const view = new ModelView(renderer, scene, lost, options);
    await view.begin();
    return view;
  } catch (error) {
    release(renderer);
    if (error instanceof Unreadable) throw error;
    throw new Unreadable(error instanceof Error ? error.message : String(error));
  } finally {
    surroundings.dispose();
    textures.decoder.dispose();
    meshes.decoder.dispose();
  }
}

/** @param {WebGL2RenderingContext} context @returns {Form[]} the best first */
function hardwareForms(context) {
  // Desktops have the first, telephones the second. Some desktops claim the others too and then unpack them by software.
  const extensions = /** @type {[Form, string][]} */ ([
    ["bptc", "EXT_texture_compression_bptc"], ["astc", "WEBGL_compressed_texture_astc"],
    ["etc2", "WEBGL_compressed_texture_etc"], ["s3tc", "WEBGL_compressed_texture_s3tc"],
  ]);
  return extensions.filter(([, name]) => context.getExtension(name)).map(([form]) => form);
}

/** Gives the graphics back at once; a browser has some sixteen contexts, and collects those nobody holds when it pleases. @param {WebGLRenderer} renderer */
function release(renderer) {
  renderer.dispose();
  renderer.forceContextLoss();
}

/** A model that is shown. */
export class ModelView {
  /** @type {ModelFacts} */
  facts;
  #camera = new PerspectiveCamera(35, 1, 0.01, 100);
  #scene = new Scene();
  #sphere = new Sphere();
  /** What the browser calls the frame that is asked for; 0 when none is, -1 when none may be. */
  #frame = -1;
  #renderer;
  #model;
  #controls;
  #watch;
  #onLost;

  /**
   * @param {WebGLRenderer} renderer
   * @param {Group} model
   * @param {number} lost
   * @param {ModelOptions} options
   */
  constructor(renderer, model, lost, { still, onLost }) {
    this.#renderer = renderer;
    this.#model = model;
    this.#scene.add(model);
    const box = new Box3().setFromObject(model);
    box.getBoundingSphere(this.#sphere);
    if (box.isEmpty() || !(this.#sphere.radius > 0 && Number.isFinite(this.#sphere.radius))) throw new Unreadable("It has nothing to show.");
    this.facts = { ...counted(model), lost, size: /** @type {[number, number, number]} */ (box.getSize(new Vector3()).toArray()) };
    this.#onLost = onLost;
    this.#controls = new OrbitControls(this.#camera, renderer.domElement);
    this.#controls.enableDamping = !still;
    this.#controls.zoomToCursor = true;
    this.#controls.addEventListener("change", this.#ask);
    renderer.domElement.addEventListener("webglcontextlost", this.#onContextLost);
    this.#watch = new ResizeObserver(this.#onResize);
  }

  /** Compiles and uploads what it takes, then draws. */
  async begin() {
    this.#light();
    this.#onResize();
    this.fit();
    await this.#renderer.compileAsync(this.#scene, this.#camera);
    this.#frame = 0;
    this.#draw();
    this.#watch.observe(this.#renderer.domElement);
  }

  /** Daylight and a lamp beside the viewer, who carries it along; and a room for metal to mirror, which is black without one. */
  #light() {
    const lamp = new DirectionalLight(0xffffff, 1.6);
    lamp.position.set(1, 1.5, 1);
    this.#camera.add(lamp);
    this.#scene.add(this.#camera);
    const materials = [...meshesOf(this.#model)].flatMap((mesh) => mesh.materials);
    if (!materials.some((material) => material instanceof MeshStandardMaterial && material.metalness > 0.2)) {
      this.#scene.add(new HemisphereLight(0xffffff, 0xb8b0a4, 2.2));
      return;
    }
    const generator = new PMREMGenerator(this.#renderer);
    const room = new RoomEnvironment();
    this.#scene.environment = generator.fromScene(room, 0.04, 0.1, 100, { size: REFLECTED }).texture;
    room.dispose();
    generator.dispose();
  }

  /** Puts the whole model into view, seen from where it is at first. */
  fit() {
    const { center, radius } = this.#sphere;
    const up = (this.#camera.fov * Math.PI) / 360;
    const across = Math.atan(Math.tan(up) * this.#camera.aspect);
    const distance = radius / Math.sin(Math.min(up, across));
    this.#camera.position.copy(center).addScaledVector(OUTLOOK, distance);
    this.#camera.near = distance / 1000;
    this.#camera.far = distance * 20;
    this.#camera.updateProjectionMatrix();
    this.#controls.target.copy(center);
    this.#controls.minDistance = radius / 50;
    this.#controls.maxDistance = distance * 8;
    this.#controls.update();
    this.#ask();
  }

  /**
   * Walks round the model.
   * @param {number} left radians
   * @param {number} up radians
   */
  turn(left, up) {
    this.#controls.rotateLeft(left);
    this.#controls.rotateUp(up);
    this.#ask();
  }

  /** Comes nearer by a factor below 1, goes away by one above. @param {number} factor */
  zoom(factor) {
    const { target, minDistance, maxDistance } = this.#controls;
    const offset = this.#camera.position.clone().sub(target);
    offset.setLength(Math.min(maxDistance, Math.max(minDistance, offset.length() * factor)));
    this.#camera.position.copy(target).add(offset);
    this.#controls.update();
    this.#ask();
  }

  /** Where the viewer stands: degrees round the model and above it, and the distance as a share of that which shows it whole. */
  get outlook() {
    const whole = this.#sphere.radius / Math.sin((this.#camera.fov * Math.PI) / 360);
    return {
      round: (this.#controls.getAzimuthalAngle() * 180) / Math.PI,
      above: 90 - (this.#controls.getPolarAngle() * 180) / Math.PI,
      distance: this.#controls.getDistance() / whole,
    };
  }

  dispose() {
    if (this.#frame > 0) cancelAnimationFrame(this.#frame);
    this.#frame = -1;
    this.#watch.disconnect();
    this.#renderer.domElement.removeEventListener("webglcontextlost", this.#onContextLost);
    this.#controls.dispose();
    this.#scene.environment?.dispose();
    for (const { geometry, materials } of meshesOf(this.#model)) {
      geometry.dispose();
      for (const material of materials) {
        for (const texture of texturesOf(material)) {
          texture.dispose();
          if (texture.image instanceof ImageBitmap) texture.image.close();
        }
        material.dispose();
      }
    }
    release(this.#renderer);
  }

  #onContextLost = () => this.#onLost();

  #onResize = () => {
    const { clientWidth, clientHeight } = this.#renderer.domElement;
    if (!clientWidth || !clientHeight) return;
    this.#renderer.setPixelRatio(Math.min(devicePixelRatio, FINEST));
    this.#renderer.setSize(clientWidth, clientHeight, false);
    this.#camera.aspect = clientWidth / clientHeight;
    this.#camera.updateProjectionMatrix();
    // Setting the size has wiped the canvas: drawn in the same frame, it does not flicker.
    if (this.#frame >= 0) this.#draw();
  };

  #ask = () => {
    if (!this.#frame) this.#frame = requestAnimationFrame(this.#onFrame);
  };

  #onFrame = () => {
    this.#frame = 0;
    // What was pushed rolls on for some frames; each says by its change that there is another.
    this.#controls.update();
    this.#draw();
  };

  #draw() {
    this.#renderer.render(this.#scene, this.#camera);
  }
}

/** @param {Object3D} model */
function* meshesOf(model) {
  /** @type {Object3D[]} */
  const open = [model];
  for (let object = open.pop(); object; object = open.pop()) {
    open.push(...object.children);
    if ("geometry" in object && "material" in object) {
      const { geometry, material } = /** @type {Mesh<BufferGeometry, Material|Material[]>} */ (object);
      yield { geometry, materials: Array.isArray(material) ? material : [material], isMesh: object instanceof Mesh };
    }
  }
}

/** @param {Material} material @returns {Texture[]} */
const texturesOf = (material) => Object.values(material).filter((value) => value?.isTexture);

/** @param {Object3D} model */
function counted(model) {
  const all = [...meshesOf(model)];
  const materials = new Set(all.flatMap((mesh) => mesh.materials));
  const triangles = all.filter(({ isMesh }) => isMesh)
    .reduce((sum, { geometry: { index, attributes } }) => sum + (index?.count ?? attributes.position?.count ?? 0) / 3, 0);
  return {
    triangles: Math.round(triangles), meshes: all.length, materials: materials.size,
    textures: new Set([...materials].flatMap(texturesOf)).size,
  };
}
