import { readDevice } from '../../data/fleet/fleet';
import { nameOfJob } from '../../data/jobs/jobs';
import { isActive } from '../../data/partners/organisation-status';
import { readShare } from '../../data/shares/shares';
import { Refusal } from '../../domain/refusal';
import { answer } from '../sockets/action';
import { currentFlight } from '../sockets/current-flight';

export const handler = answer('flight', async ({ session, now }) => {
  const { shareCode, organisation, deviceId } = session;
  const share = await readShare(shareCode, now.toISOString());
  if (!share || !(await isActive(organisation))) throw new Refusal('share_not_found');
  const device = await readDevice(organisation, deviceId);
  // Without its device a share shows nothing any more.
  if (!device) throw new Refusal('share_not_found');
  const [jobName, flight] = await Promise.all([
    nameOfJob(organisation, device.lastState?.jobId),
    currentFlight(device, now),
  ]);
  return { type: 'share.flight', deviceName: device.name, ...(jobName !== undefined && { jobName }), ...flight };
});
