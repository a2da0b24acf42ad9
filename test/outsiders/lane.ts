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
