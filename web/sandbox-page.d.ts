/** Where the build has put the page of the frames that scripts run in, from index.html; its query changes with it. */
export const SANDBOX: string;
