import { countedRates, MOST_PER_MINUTE } from '../../contract/limits';
import { setLimits } from '../../data/access/partners';
import type { LimitsOfClient, Partner } from '../../domain/access/partner';
import { Failure, UsageError } from '../command-line/errors';
import type { Report } from '../program/run-program';
import { flushAuthorizerCache } from '../deployment/authorizer-cache';
import { expectClient } from '../deployment/expect-client';
import type { Session } from '../deployment/session';
import { limitFlags, type Flags, readClientId } from './command-line';
import { description } from './description';

/** The limits of a client in calls a minute, and whether they are its own. */
export const limitsOf = ({ limits = {} }: Partner) =>
  countedRates.map(({ operation, limit }) => ({
    operation,
    perMinute: limits[operation] ?? limit,
    isOwn: operation in limits,
  }));

/** Shows the limits of a client; with flags it sets its own, or gives it those of every client again. */
export async function limits(flags: Flags, session: Session): Promise<Report> {
  const clientId = readClientId(flags);
  const wanted = readLimits(flags);
  if (flags.default && Object.keys(wanted).length > 0)
    throw new UsageError('--default gives the limits of every client: it goes without others');
  const deployment = await session.connect();
  const client = await expectClient(clientId);
  const changes = flags.default === true || Object.keys(wanted).length > 0;
  session.progress('changing the limits');
  const changed = changes ? await change(client, flags.default ? {} : { ...client.limits, ...wanted }) : client;
  if (flags.now) await flushAuthorizerCache(deployment);
  const shown = limitsOf(changed);
  const when = flags.now ? 'at once' : 'within five minutes; at once with --now';
  return {
    json: { clientId, limits: shown },
    text: [
      description(
        shown.map(({ operation, perMinute, isOwn }) => [operation, `${perMinute} a minute${isOwn ? ', its own' : ''}`]),
      ),
      ...(changes ? [`In force ${when}.`] : []),
    ].join('\n\n'),
  };
}

async function change(client: Partner, wanted: LimitsOfClient): Promise<Partner> {
  const changed = await setLimits(client, wanted);
  if (!changed) throw new Failure('the client was changed by another command: see its limits, and try again');
  return changed;
}

/** The wanted limits by operation. @throws UsageError for one out of bounds: not below what every client has */
function readLimits(flags: Flags): LimitsOfClient {
  const given = flags as Readonly<Record<string, string | boolean | undefined>>;
  return Object.fromEntries(
    Object.entries(limitFlags).flatMap(([flag, operation]) => {
      if (given[flag] === undefined) return [];
      const least = countedRates.find((rate) => rate.operation === operation)?.limit ?? 1;
      const value = /^\d{1,6}$/.test(String(given[flag])) ? Number(given[flag]) : NaN;
      if (!(value >= least && value <= MOST_PER_MINUTE))
        throw new UsageError(
          `--${flag} must be a whole number from ${least}, which every client has, to ${MOST_PER_MINUTE}`,
        );
      return [[operation, value]];
    }),
  );
}
