/** Saves a pull report as a file, for whoever looks into what went wrong. */

/** @param {{owner: string, repo: string}} report as `peer.report()` answers it */
export function saveReport(report) {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(new Blob([JSON.stringify(report, null, 2)], { type: "application/json" }));
  link.download = `${report.owner}-${report.repo}-pull-report.json`;
  link.click();
  // The download has its own hold on the bytes once it has begun, which it has in the next task.
  setTimeout(() => URL.revokeObjectURL(link.href));
}
