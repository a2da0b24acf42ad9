/** The command can't be carried out: exit code 1. */
export class Failure extends Error {
  override readonly name = 'Failure';
}
