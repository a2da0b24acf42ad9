import { isActive } from '../../data/access/organisation-status';
import { digestShareCode } from '../../data/shares/share-id';
import { findStoredShare, type StoredShare } from '../../data/shares/stored-shares';
import { organisationId, organisationOf } from '../../domain/values/id';
import { hasEnded } from '../../domain/shares/share';
import { Failure } from '../command-line/failure';
import type { Report } from '../command-line/report';
import type { Session } from '../deployment/session';
import type { Flags } from './command-line';
import { description } from './description';
import { readShareId } from './ids';

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
