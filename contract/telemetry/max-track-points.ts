/**
 * Maximum of points of a track in one answer. API Gateway sends a frame of at most 32 KB (quotas of WebSocket APIs):
 * this many fit with the longest coordinates, route, names and `id`.
 */
export const MAX_TRACK_POINTS = 230;
