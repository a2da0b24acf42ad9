import * as endpoints from '../../contract/commands/commands.endpoints';
import { findDevice } from '../../data/fleet/devices';
import { findJob } from '../../data/jobs/jobs';
import { acceptCommand } from './accept-command';
import { idempotencyKey } from '../serve/idempotency-key';
import { jsonBody } from '../serve/json-body';
import { serve } from '../serve/serve';

export const handler = serve(
  'POST /v3/devices/{deviceId}/commands',
  endpoints.sendCommand,
  async ({ caller: { organisation, clientId }, path: { deviceId }, body, now, firstAnswer }) => {
    const { jobId, timeoutSeconds, ...command } = body;
    const [device, job] = await Promise.all([
      findDevice(organisation, deviceId),
      jobId === undefined ? undefined : findJob(organisation, jobId),
    ]);
    const reply = (accepted: Awaited<ReturnType<typeof acceptCommand>>) => ({
      success: true as const,
      command: accepted,
    });
    return reply(
      await acceptCommand({
        organisation,
        device,
        command,
        timeoutSeconds,
        job,
        requester: { origin: 'partner', requestedBy: clientId },
        now,
        firstAnswer: (accepted) => firstAnswer(reply(accepted)),
      }),
    );
  },
  jsonBody,
  idempotencyKey,
);
