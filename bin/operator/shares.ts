import { isActive } from '../../data/access/organisation-status';
import { digestShareCode } from '../../data/shares/share-id';
import { findStoredShare, type StoredShare } from '../../data/shares/stored-shares';
import { organisationId, organisationOf } from '../../domain/values/id';
import { hasEnded } from '../../domain/shares/share';
import { Failure, UsageError } from '../command-line/errors';
import type { Report } from '../program/run-program';
import type { Session } from '../deployment/session';
import { type Flags, readShareId } from './command-line';
import { description } from './description';
import { storeRevocation } from '../../data/shares/shares';
import { Refusal } from '../../domain/values/refusal';

/** A share without its code, which gives access: its digest stands for it. */
export function factsOf({ share, createdBy }: StoredShare) {
  const { shareCode, deviceId, resourceId, shareType, permissions, currentViewers, maxViewers } = share;
  return {
    shareId: digestShareCode(shareCode),
    state: hasEnded(share, new Date().toISOString()) ? 'EXPIRED' : 'ACTIVE',
    deviceId,
    resourceId,
    shareType,
    permissions: permissions.join(' '),
    currentViewers,
    maxViewers,
    createdAt: share.createdAt,
    createdBy,
    expiresAt: share.expiresAt,
  };
}

/** The share of a code or a digest. @throws Failure when there is none */
export async function expectShare(codeOrDigest: string): Promise<StoredShare> {
  const found = await findStoredShare(codeOrDigest);
  if (!found) throw new Failure('there is no such share: it never was, or it has ended');
  return found;
}

/** Shows a share, given its code or digest; never its code. */
export async function showShare(flags: Flags, session: Session): Promise<Report> {
  const codeOrDigest = readShareId(flags);
  await session.connect();
  session.progress('reading the share');
  const stored = await expectShare(codeOrDigest);
  const organisation = organisationOf('share', stored.share.shareCode) ?? '';
  const organisationStatus = (await isActive(organisation)) ? 'active' : 'suspended: its links are refused';
  const facts = { ...factsOf(stored), organisationId: organisationId(organisation), organisationStatus };
  return {
    json: facts,
    text: description(Object.entries({ ...facts, createdBy: stored.createdBy ?? 'unknown' })),
  };
}

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
