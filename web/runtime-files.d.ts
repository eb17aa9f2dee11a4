/** Where the build has put the runtime's files; paths are relative to the module that imports this. */
export const files: {
  /** beside index.html */
  config: string;
  /** folder of Pyodide's own files, with a slash at its end */
  pyodide: string;
  /** folder of the wheels that `lock` names, with a slash at its end */
  packages: string;
  snapshot: string;
  /** Subresource Integrity value of the snapshot */
  integrity: string;
  /** the name in `lock` of the wheel that holds client and worker */
  package: string;
  lock: import("pyodide").Lockfile;
  /** hex, of the standard library that lies in `pyodide` */
  archiveSha256: string;
};
