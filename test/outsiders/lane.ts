/** A judge that others wrote, and what it is asked about. */
export interface Lane {
  /** What is judged by whom, for people. */
  readonly title: string;
  /**
   * Installs what the lane needs, runs it and prints what is worth knowing when all is well.
   * @returns what the outsider objects to, one text each; none when all is well
   * @throws {NotInstalled} when its part is not to be had; Error when the lane itself fails
   */
  run(): Promise<readonly string[]>;
}

/** Something that a lane needs is not on this machine and can't be installed from here. */
export class NotInstalled extends Error {
  override readonly name = 'NotInstalled';

  /** @param how to install it, as a command */
  constructor(what: string, how: string, cause?: unknown) {
    super(`${what} is not installed: ${how}`, { cause });
  }
}
