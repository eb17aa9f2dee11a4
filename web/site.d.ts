/** The first line of every script's worker, which the build puts before supervisor.js. */
declare const BOOTSTRAP: string;
/** What the build writes before the first line of service-worker.js. */
declare const SITE: {
  /** digest of all that the page is made of */
  build: string;
  /** every file that is kept from the start, by its path from index.html ("./" is that page itself), with its Subresource Integrity value */
  files: Record<string, string>;
  /** likewise, the files that are kept once they have been used */
  later: Record<string, string>;
  /** those of `files` whose own headers confine what runs in them */
  policed: string[];
};
