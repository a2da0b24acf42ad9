/** What of a sample a viewer of a share may see, beside the orientation of its camera. */
export const viewerTelemetryFields = {
  type: true,
  deviceId: true,
  sequence: true,
  receivedAt: true,
  snapshot: true,
  age: true,
  timestamp: true,
  droneState: true,
  dockState: true,
  navigation: true,
  battery: true,
  weather: true,
  progress: true,
  simulated: true,
  measuredBefore: true,
} as const;
