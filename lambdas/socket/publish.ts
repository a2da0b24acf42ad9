import { acceptTelemetry } from '../telemetry/accept-telemetry';
import { answer } from '../sockets/action';

export const handler = answer('publish', async ({ session, message, now }) => ({
  type: 'published',
  accepted: await acceptTelemetry(session.organisation, message.telemetry, now),
}));
