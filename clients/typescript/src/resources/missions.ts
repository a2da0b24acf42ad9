import { bodyOf, itemsOf, type CallOptions, type Rest } from '../http/rest.ts';
import type { Mission, MissionFeature, MissionFile, MissionMediaType, MissionsPage, MissionsQuery } from '../types.ts';

/** Options of sending a file. */
export interface MissionFileOptions extends CallOptions {
  /** What the file is: GeoJSON, KML, DJI WPML in a KMZ, or a QGroundControl plan (`application/json`). */
  readonly mediaType: MissionMediaType;
  /** Name of the mission; by default that in the file. */
  readonly name?: string | undefined;
}

const KML = 'application/vnd.google-earth.kml+xml';

/** What is accepted for each format. An original may have any of these types; a KMZ is sent only to who accepts it first. */
const accepted = {
  kml: KML,
  original: ['application/vnd.google-earth.kmz', KML, 'application/geo+json', 'application/json'].join(', '),
} as const;

/** Options of reading a file. */
export interface ReadFileOptions<Format extends keyof typeof accepted> extends CallOptions {
  /** `kml` for Google Earth, whatever the mission was made from; `original` for the file as it was sent. */
  readonly format: Format;
}

/** Missions: lines of waypoints, which jobs fly. */
export class Missions {
  constructor(private readonly rest: Rest) {}

  /**
   * Creates a mission from a file. It is not sent again when its answer is lost, since each create makes a mission.
   * @throws ApiError (400 says where the file is wrong), ConnectionError
   */
  async create(file: MissionFile, options: MissionFileOptions): Promise<Mission> {
    const { params, ...request } = sending(file, options);
    return (await bodyOf('POST /v3/missions', this.rest.POST('/v3/missions', { ...request, params }))).mission;
  }

  /** All missions of the organisation, newest first, page after page. @throws ApiError, ConnectionError */
  list(
    query: Omit<MissionsQuery, 'nextToken'> = {},
    options: CallOptions = {},
  ): AsyncGenerator<Mission, void, undefined> {
    return itemsOf(
      (nextToken) => this.page({ ...query, ...(nextToken !== undefined && { nextToken }) }, options),
      ({ missions }) => missions,
    );
  }

  /**
   * One page of missions; its `nextToken`, if it has one, is what to ask for the next page with.
   * @throws ApiError, ConnectionError
   */
  page(query: MissionsQuery = {}, options: CallOptions = {}): Promise<MissionsPage> {
    return bodyOf('GET /v3/missions', this.rest.GET('/v3/missions', { ...options, params: { query } }));
  }

  /** A mission with its waypoints. @throws ApiError, ConnectionError */
  async get(missionId: string, options: CallOptions = {}): Promise<MissionFeature> {
    const found = this.rest.GET('/v3/missions/{missionId}', {
      ...options,
      params: { path: { missionId } },
      headers: { accept: 'application/geo+json' },
    });
    // The types of the reply are those of all formats; `Accept` has selected this one.
    return (await bodyOf('GET /v3/missions/{missionId}', found)) as MissionFeature;
  }

  /** A mission as the text of a KML file. @throws ApiError, ConnectionError */
  file(missionId: string, options: ReadFileOptions<'kml'>): Promise<string>;
  /** The file that the mission was made from, byte for byte. @throws ApiError, ConnectionError */
  file(missionId: string, options: ReadFileOptions<'original'>): Promise<Uint8Array>;
  async file(
    missionId: string,
    { format, ...options }: ReadFileOptions<keyof typeof accepted>,
  ): Promise<string | Uint8Array> {
    const found = this.rest.GET('/v3/missions/{missionId}', {
      ...options,
      params: { path: { missionId }, query: { format } },
      headers: { accept: accepted[format] },
      parseAs: 'arrayBuffer',
    });
    const content = await bodyOf('GET /v3/missions/{missionId}', found);
    return format === 'kml' ? new TextDecoder().decode(content) : new Uint8Array(content);
  }

  /**
   * Replaces the file of a mission, which becomes its next version; jobs that exist keep theirs.
   * @throws ApiError (400 says where the file is wrong), ConnectionError
   */
  async replace(missionId: string, file: MissionFile, options: MissionFileOptions): Promise<Mission> {
    const { params, ...request } = sending(file, options);
    const replaced = this.rest.PUT('/v3/missions/{missionId}', {
      ...request,
      params: { ...params, path: { missionId } },
    });
    return (await bodyOf('PUT /v3/missions/{missionId}', replaced)).mission;
  }

  /** Deletes a mission; jobs that exist still fly it. @throws ApiError, ConnectionError */
  async delete(missionId: string, options: CallOptions = {}): Promise<void> {
    await bodyOf(
      'DELETE /v3/missions/{missionId}',
      this.rest.DELETE('/v3/missions/{missionId}', { ...options, params: { path: { missionId } } }),
    );
  }
}

/**
 * A request that sends a file as it is: `body` has the types of the documents, which know no bytes, and the file takes
 * its place.
 */
const sending = (file: MissionFile, { mediaType, name, ...options }: MissionFileOptions) => ({
  ...options,
  params: { query: name === undefined ? {} : { name } },
  headers: { 'content-type': mediaType },
  body: '',
  bodySerializer: () => file,
});
