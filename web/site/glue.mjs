/**
 * Makes modules of the decoders' glue code. Three of the scripts that come with three.js are not fit for this site as they
 * are: two are no modules, one makes functions out of strings, one fetches a data: address; the page's policy allows
 * neither, and it stays as it is. A script that has changed, so that what is replaced here is not in it, ends the build.
 */

/**
 * What Emscripten writes where it may not make code of strings (-sDYNAMIC_EXECUTION=0), in the names of its neighbours:
 * the first calls a C++ function, the second a JavaScript one from C++.
 */
const CALL_INTO = `var invokerFn = function (...given) {
  if (given.length !== argCount - 2) throwBindingError("function " + humanName + " called with " + given.length + " arguments, expected " + (argCount - 2));
  const destructors = needsDestructorStack ? [] : null;
  const first = isClassMethodFunc ? 1 : 2;
  const wired = isClassMethodFunc ? [argTypes[1].toWireType(destructors, this)] : [];
  for (let i = 0; i < argCount - 2; ++i) wired.push(argTypes[i + 2].toWireType(destructors, given[i]));
  const value = cppInvokerFunc(cppTargetFunc, ...wired);
  if (needsDestructorStack) runDestructors(destructors);
  else for (let i = first; i < argTypes.length; ++i) argTypes[i].destructorFunction?.(wired[i - first]);
  return returns ? argTypes[0].fromWireType(value) : undefined;
};`;
const CALL_OUT = `var invokerFunction = (object, called, destructors, at) => {
  const values = types.map((type) => {
    const value = type.readValueFromPointer(at);
    at += type.argPackAdvance;
    return value;
  });
  const value = kind === 1 ? new called(...values) : kind === 0 ? called.call(object, ...values) : called.call(...values);
  return retType.isVoid ? undefined : emval_returnValue(retType, destructors, value);
};`;

/** @type {Record<string, {replace: [string, string][], name?: string}>} by the path's end; `name`: what becomes the default export */
const SCRIPTS = {
  "three/examples/jsm/libs/basis/basis_transcoder.js": {
    name: "BASIS",
    replace: [
      [
        "let[args,invokerFnBody]=createJsInvoker(argTypes,isClassMethodFunc,returns,isAsync);args.push(invokerFnBody);"
          + "var invokerFn=newFunc(Function,args)(...closureArgs);",
        CALL_INTO,
      ],
      ["var invokerFunction=newFunc(Function,params)(...args);", CALL_OUT],
    ],
  },
  "three/examples/jsm/libs/draco/gltf/draco_wasm_wrapper.js": { name: "DracoDecoderModule", replace: [] },
  "three/examples/jsm/libs/zstddec.module.js": {
    replace: [[
      'fetch("data:application/wasm;base64,"+C).then(A=>A.arrayBuffer()).then(A=>WebAssembly.instantiate(A,g))',
      "WebAssembly.instantiate(Uint8Array.from(atob(C),(letter)=>letter.charCodeAt(0)),g)",
    ]],
  },
};

/**
 * @param {string} path with forward slashes
 * @param {string} text
 * @returns {string} the text as a module for this site
 */
export function fitted(path, text) {
  const found = Object.entries(SCRIPTS).find(([end]) => path.endsWith(`/${end}`));
  if (!found) return text;
  const [end, { name, replace }] = found;
  const changed = replace.reduce((all, [old, by]) => {
    const parts = all.split(old);
    if (parts.length !== 2) throw new Error(`${end} is another than web/site/glue.mjs knows: look what it does now with ${old.slice(0, 60)}…`);
    return parts.join(by);
  }, text);
  return name ? `${changed}\nexport default ${name};\n` : changed;
}
