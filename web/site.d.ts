/** What the build writes before the first line of service-worker.js. */
declare const SITE: {
  /** digest of all that the page is made of */
  build: string;
  /** every file, by its path from index.html ("./" is that page itself), with its Subresource Integrity value */
  files: Record<string, string>;
  /** those of them whose own headers confine what runs in them */
  policed: string[];
};
