import { handler } from '../../simulator/consume-job-events';
import { noteMission } from '../../simulator/missions';
import { publishReports } from '../../simulator/publish-reports';
import { id } from '../domain/fixtures/samples';

jest.mock('../../simulator/missions');
jest.mock('../../simulator/publish-reports');

test('A command of a viewer is refused in so many words: simulated drones fly missions and nothing else.', async () => {
  const detail = {
    requestId: '01kb1x5m9v3f8q2r7t6w4y0z1a',
    organisationId: 'org-acme0001',
    shareId: 'share',
    deviceId: id('device'),
    command: { name: 'HOVER' },
    requestedAt: '2026-11-27T10:31:07.250Z',
  };
  await handler({ 'detail-type': 'control.requested', detail } as never);
  const { requestId, deviceId } = detail;
  const refused = {
    requestId,
    deviceId,
    outcome: 'REFUSED',
    reason: 'NOT_SUPPORTED',
    at: expect.any(String) as string,
  };
  expect(publishReports).toHaveBeenCalledWith([{ type: 'control.outcome.reported', detail: refused }]);
  expect(noteMission).not.toHaveBeenCalled();
});
