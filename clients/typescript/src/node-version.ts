/** The package's `engines`. */
const MIN_VERSION = [20, 19] as const;

/**
 * Why this Node.js is too old, in one line; undefined when it is not, and in browsers. Older ones lack `AbortSignal.any`, and
 * the errors that follow name neither Node.js nor a remedy.
 * @param version `process.versions.node`
 */
export function whyTooOld(version: string | undefined): string | undefined {
  const [major = 0, minor = 0] = (version ?? '').split('.').map(Number);
  const [minMajor, minMinor] = MIN_VERSION;
  if (version === undefined || major > minMajor || (major === minMajor && minor >= minMinor)) return undefined;
  return `drone-mission-client needs Node.js ${MIN_VERSION.join('.')} or later, and this is ${version}: install a newer one from https://nodejs.org.`;
}

// First import of the entry point, so that this line comes before any other error.
const reason = whyTooOld(globalThis.process.versions.node);
if (reason !== undefined) throw new Error(reason);
