import type { EndpointKey } from '../../endpoints';
import { exampleValue } from '../fields';

export interface NamedExample {
  readonly summary: string;
  readonly value: unknown;
}

const deviceGroupId = exampleValue('deviceGroupId');
const resourceId = exampleValue('resourceId');
const grant_type = 'client_credentials';

/** Examples of request bodies beyond the one with every field, which is composed from the examples of the fields. */
export const requestExamples: Partial<Record<EndpointKey, Readonly<Record<string, NamedExample>>>> = {
  'POST /v3/jobs/create': {
    minimal: { summary: 'Only what is required', value: { name: 'First flight', deviceGroupId } },
    place: {
      summary: 'Circle a place for two minutes, 40 metres above the take-off point',
      value: {
        name: 'Alarm at the north gate',
        deviceGroupId,
        desiredLocation: { type: 'Point', coordinates: [8.5417, 47.3769] },
        actionOnArrival: 'ORBIT',
        flight: { height: 40, orbitRadius: 30, holdSeconds: 120 },
      },
    },
  },
  'POST /v3/jobs/dispatch': {
    alarm: {
      summary: 'An alarm: whoever is there first, within five minutes',
      value: {
        name: 'Alarm at the north gate',
        desiredLocation: { type: 'Point', coordinates: [8.5417, 47.3769] },
        maxEtaSeconds: 300,
      },
    },
  },
  'PATCH /v3/jobs/{jobId}': {
    rename: { summary: 'Another name and priority', value: { name: 'Rim inspection, second try', priority: 8 } },
    replaceMetadata: { summary: 'Replace all metadata', value: { metadata: { site: 'south' } } },
    cancel: { summary: 'Cancel the job', value: { status: 'CANCELLED' } },
  },
  'POST /v3/streams/share': {
    statusOnly: { summary: 'Position and status for an hour', value: { resourceId, shareType: 'DEVICE_STATUS' } },
    control: {
      summary: 'Video for one viewer who may send commands, for ten minutes',
      value: { resourceId, shareType: 'STREAM', permissions: ['view', 'control'], expiresIn: 600, maxViewers: 1 },
    },
  },
};

/** Examples of a token request whose credentials HTTP Basic carries. */
export const basicExample: NamedExample = { summary: 'Credentials by HTTP Basic', value: { grant_type } };
