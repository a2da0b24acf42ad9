/** A third-party check of a part of this project. */
export interface Lane {
  /** What is checked, and by what. */
  readonly title: string;
  /**
   * Installs what the lane needs, runs it and prints a summary.
   * @returns one text per finding
   * @throws {NotInstalled} when a dependency is not available; Error when the lane itself fails
   */
  run(): Promise<readonly string[]>;
}

/** A dependency of a lane is not installed and can't be installed here. */
export class NotInstalled extends Error {
  override readonly name = 'NotInstalled';

  /** @param how to install it, as a command */
  constructor(what: string, how: string, cause?: unknown) {
    super(`${what} is not installed: ${how}`, { cause });
  }
}

/** Findings of an outsider that are no fault of this project, and why. */
export interface Accepted<Finding> {
  readonly concerns: (finding: Finding) => boolean;
  readonly reason: string;
}

/**
 * Removes accepted findings, and prints how many there were of each and why they are accepted.
 * @param describe text of a finding that is not accepted
 * @returns a text for each of the others, and one for each accepted kind that did not occur
 */
export function withoutAccepted<Finding>(
  findings: readonly Finding[],
  accepted: readonly Accepted<Finding>[],
  describe: (finding: Finding) => string,
): string[] {
  const counts = new Map(accepted.map((one) => [one, 0]));
  const others = findings.filter((finding) => {
    const known = accepted.find(({ concerns }) => concerns(finding));
    if (known) counts.set(known, (counts.get(known) ?? 0) + 1);
    return known === undefined;
  });
  for (const [{ reason }, count] of counts) if (count > 0) console.log(`  accepted, ${count} times: ${reason}`);
  const idle = accepted.filter((one) => counts.get(one) === 0);
  return [...others.map(describe), ...idle.map(({ reason }) => `is accepted (${reason}), but no longer found`)];
}
