import { newShareBounds } from '../../../domain/shares/share';
import type { EndpointKey } from '../../endpoints';
import { tokenThrottle } from '../../limits';
import { exampleValue } from '../fields';
import { kmlExample } from './request-examples';

/** Fields in which the reply of an endpoint differs from the examples of the fields, by the object that they are in. */
export const replyFields: Partial<Record<EndpointKey, Readonly<Record<string, object>>>> = {
  // A new job has version 1.
  'PATCH /v3/jobs/{jobId}': { job: { version: 2 } },
  'GET /v3/limits': {
    limits: {
      rates: [
        {
          operation: 'POST /v3/jobs/create',
          limit: 60,
          windowSeconds: 60,
          remaining: 57,
          resetAt: exampleValue('resetAt'),
        },
        tokenThrottle,
      ],
      subscriptions: { limit: 100, used: 8, remaining: 92 },
      shares: newShareBounds,
    },
  },
};

/** An example of a media type that a client selects by `Accept`. */
interface MediaTypeExample {
  readonly name: string;
  readonly summary?: string;
  /** The whole reply, unless it is JSON. */
  readonly text?: string;
}

const mediaTypeExamples: Readonly<Record<string, MediaTypeExample>> = {
  'application/geo+json': { name: 'success' },
  'application/json': { name: 'asJson' },
  'application/vnd.google-earth.kml+xml': {
    name: 'asKml',
    summary: 'For Google Earth; values along the track are left out here',
    text: [
      '<?xml version="1.0" encoding="UTF-8"?>',
      '<kml xmlns="http://www.opengis.net/kml/2.2" xmlns:gx="http://www.google.com/kml/ext/2.2"><Document>',
      '<name>Rim inspection</name><Placemark><name>device-7k2m9qx4-01kb1x5m9v3f8q2r7t6w4y0z1a</name><gx:Track>',
      '<altitudeMode>absolute</altitudeMode>',
      '<when>2026-11-27T10:30:15.123Z</when><when>2026-11-27T10:30:16.118Z</when>',
      '<gx:coord>8.5417 47.3769 485.5</gx:coord><gx:coord>8.5418 47.3769 485.4</gx:coord>',
      '</gx:Track></Placemark></Document></kml>',
    ].join('\n'),
  },
  'text/csv': {
    name: 'asCsv',
    summary: 'A row for each position, and a header',
    text: [
      'time,longitude,latitude,altitude,groundSpeed,verticalSpeed,heading,droneState,batteryPercent,deviceId,jobId',
      '2026-11-27T10:30:15.123Z,8.5417,47.3769,485.5,12.5,-0.5,270.5,WAYPOINT,81,' +
        'device-7k2m9qx4-01kb1x5m9v3f8q2r7t6w4y0z1a,job-7k2m9qx4-01kb1x5m9v3f8q2r7t6w4y0z1a',
      '',
    ].join('\r\n'),
  },
};

/** Those of missions, where they are others. */
const missionExamples: Readonly<Record<string, MediaTypeExample>> = {
  'application/vnd.google-earth.kml+xml': {
    name: 'asKml',
    summary: 'For Google Earth',
    text: kmlExample,
  },
};

/** The example of a media type of an endpoint's reply. @throws Error if there is none */
export function mediaTypeExample(key: EndpointKey, type: string): MediaTypeExample {
  const found = (key.includes('/missions') && missionExamples[type]) || mediaTypeExamples[type];
  if (!found) throw new Error(`contract/documents/examples/reply-examples.ts has no example of ${type}`);
  return found;
}
