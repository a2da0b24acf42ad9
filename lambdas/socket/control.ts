import { isActive } from '../../data/organisation-status';
import { tellPlatform } from '../../data/platform-bus';
import { readShare } from '../../data/shares';
import { organisationId } from '../../domain/id';
import { Refusal } from '../../domain/refusal';
import { answer } from './answer';

export const handler = answer('control', async ({ session, message, now }) => {
  // A drone acts on it: the share has to stand at this very moment.
  const share = await readShare(session.shareCode, now.toISOString());
  if (!share?.permissions.includes('control')) throw new Refusal('forbidden');
  if (!(await isActive(session.organisation))) throw new Refusal('forbidden');
  await tellPlatform('control.requested', {
    organisationId: organisationId(session.organisation),
    deviceId: session.deviceId,
    command: message.command,
    requestedAt: now.toISOString(),
  });
  return { type: 'accepted' };
});
