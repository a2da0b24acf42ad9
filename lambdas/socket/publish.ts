import { acceptTelemetry } from '../delivery/telemetry/accept-telemetry';
import { answer } from '../channel/answer';

export const handler = answer('publish', async ({ session, message, now }) => ({
  type: 'published',
  accepted: await acceptTelemetry(session.organisation, message.telemetry, now),
}));
