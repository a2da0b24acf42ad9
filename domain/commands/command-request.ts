/** The body of a request for a command: one closed schema for each name, and an open one for names of the platform's own. */
import * as z from 'zod/mini';
import { commandNames, commandParameters, MAX_COMMAND_BYTES, type KnownCommand } from './command';
import { timeoutBounds } from './command-timeout';
import { passesLimits, stopNames } from './stops';
import { freeForm } from '../values/free-form';
import { name } from '../values/text';

const common = {
  jobId: z.optional(name),
  timeoutSeconds: z.optional(z.int().check(z.minimum(timeoutBounds.minimum), z.maximum(timeoutBounds.maximum))),
};

/** A command of a known name, and nothing beside it. */
export const knownCommand = <Name extends KnownCommand>(name: Name) =>
  z.strictObject({ name: z.literal(name), ...commandParameters[name] });

const requestOf = <Name extends KnownCommand>(name: Name) =>
  z.strictObject({ name: z.literal(name), ...commandParameters[name], ...common });

/** By the name of the command. */
export const knownRequests = Object.fromEntries(commandNames.map((name) => [name, requestOf(name)])) as {
  readonly [Name in KnownCommand]: ReturnType<typeof requestOf<Name>>;
};

/** A command of the drone platform's own, whose parameters only the platform knows. */
export const ownRequest = z
  .looseObject({
    name: z.string().check(
      z.regex(/^x-[a-z0-9][a-z0-9-]{0,61}$/, {
        // Otherwise the union would take it for the one that is meant.
        abort: true,
        error: `must be one of ${commandNames.join(', ')}, or begin with x-, in lower case, for one of the drone platform’s own`,
      }),
    ),
    ...common,
  })
  .check(freeForm(MAX_COMMAND_BYTES));

/** Of several schemas that refuse a body, the last one says which names there are. */
export const commandRequest = z.union([...Object.values(knownRequests), ownRequest]);

/** Whether the text of a request asks for a command that passes limits. One that is refused anyway does not. */
export function asksForStop(text: string | null): boolean {
  try {
    const request: unknown = JSON.parse(text ?? '');
    return stopNames.filter(passesLimits).some((name) => knownRequests[name].safeParse(request).success);
  } catch {
    return false;
  }
}
