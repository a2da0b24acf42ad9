/** Two waypoints, 40 m above the take-off point. */
export const missionFile = {
  type: 'Feature',
  geometry: {
    type: 'LineString',
    coordinates: [
      [8.5417, 47.3769, 40],
      [8.5432, 47.3774, 40],
    ],
  },
  properties: { name: 'Along the fence', heightReference: 'TAKE_OFF' },
};
