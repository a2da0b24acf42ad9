import { storeRevocation } from '../../data/shares/shares';
import { organisationOf } from '../../domain/values/id';
import { Refusal } from '../../domain/values/refusal';
import { Failure } from '../command-line/failure';
import type { Report } from '../command-line/report';
import { UsageError } from '../command-line/usage-error';
import type { Session } from '../deployment/session';
import type { Flags } from './command-line';
import { description } from './description';
import { readShareId } from './ids';
import { expectShare, factsOf } from './show-share';

/** Revokes a share, given its code or digest: its viewers are told, and closed. Asks a person first, unless `--yes` is given. */
export async function revoke(flags: Flags, session: Session): Promise<Report> {
  const codeOrDigest = readShareId(flags);
  const { ask } = session;
  if (!flags.yes && !ask) {
    throw new UsageError('revoke-share asks before it revokes, and nobody can answer here (no terminal): add --yes');
  }
  await session.connect();
  const stored = await expectShare(codeOrDigest);
  const { shareId, ...facts } = factsOf(stored);
  if (!flags.yes && ask) {
    const answer = await ask(`${description(Object.entries({ shareId, ...facts }))}\nType y to revoke it: `);
    if (!['y', 'yes'].includes(answer.trim())) throw new Failure('nothing was revoked');
  }
  session.progress('revoking the share');
  const { shareCode } = stored.share;
  try {
    await storeRevocation(organisationOf('share', shareCode) ?? '', shareCode, new Date().toISOString());
  } catch (error) {
    // It has ended meanwhile.
    if (!(error instanceof Refusal) || error.code !== 'share_not_found') throw error;
  }
  return {
    json: { shareId, revoked: true },
    text: `The share ${shareId} is revoked: its viewers are told within seconds, and disconnected.`,
  };
}
