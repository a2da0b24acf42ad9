import { handler as create } from '../../../lambdas/missions/create-mission.lambda';
import { handler as read } from '../../../lambdas/missions/get-mission.lambda';
import { mediaTypeOf, missionFormats, type Mission } from '../../../domain/missions/mission-record';
import { missionFile } from '../../api/mission-file';
import { storeOnEngine } from '../../data/fixtures/engine';
import { missionBucket } from '../../data/fixtures/mission-bucket';
import { call, callForText } from '../fixtures/api-gateway';
import '../fixtures/log';

const engine = storeOnEngine('missions', 'requests');
missionBucket();
const scopes = ['command:create', 'command:read'] as const;
const endings = { GEOJSON: 'geojson', KML: 'kml', WPML: 'kmz', QGC_PLAN: 'plan' };

/** Stores a mission, as if its file had been of this format. */
async function given(format: string): Promise<string> {
  const headers = { 'content-type': 'application/geo+json' };
  const { missionId } = (await call(create, { scopes, headers, body: missionFile })).body['mission'] as Mission;
  const item = (await engine.all('missions')).find((each) => each['missionId'] === missionId);
  await engine.put('missions', { ...item, format });
  return missionId;
}

test.each(missionFormats)(
  'a file of %s is one to save under a name, and of no other type than it says',
  async (format) => {
    const missionId = await given(format);
    const type = mediaTypeOf[format];
    const query = { format: ['original'] };
    const { headers } = await callForText(read, { scopes, path: { missionId }, query, headers: { accept: type } });
    expect(headers).toMatchObject({
      'Content-Type': type,
      'X-Content-Type-Options': 'nosniff',
      'Content-Disposition': `attachment; filename="${missionId}.${endings[format]}"`,
    });
  },
);

test.each([{}, { format: ['kml'] }])('what this service writes, as with %j, is shown', async (query) => {
  const missionId = await given('GEOJSON');
  const { headers } = await callForText(read, { scopes, path: { missionId }, query, headers: {} });
  expect(headers).not.toHaveProperty('Content-Disposition');
});
