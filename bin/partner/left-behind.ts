/** What is left of an organisation after its last client is gone, by store, and until when. */
export const leftBehind = [
  {
    store: 'jobs, device groups and devices',
    until: 'they are deleted: by a new client of the organisation, or the platform',
  },
  {
    store: 'missions, with their files',
    until: 'they are deleted; then 90 days, longer for jobs of later, and the files five days more',
  },
  { store: 'commands to devices', until: '90 days after they were sent' },
  { store: 'tracks of jobs', until: '90 days after their flight (flightRetentionDays)' },
  { store: 'track of any flight', until: '24 hours after it' },
  { store: 'event log', until: '7 days (eventRetentionDays), timelines of jobs 90' },
  { store: 'connections, requests, counters of limits', until: 'within a day' },
  { store: 'retained MQTT messages of device groups', until: 'the group is deleted; of jobs and shares: 90 minutes' },
  { store: 'events on the bus, and in dead-letter queues', until: '14 days' },
  { store: 'log lines, with identifiers', until: '3 months' },
  { store: 'backups by point in time', until: '35 days' },
] as const;

/** The same as lines for people. */
export function leftBehindText(): string {
  const width = Math.max(...leftBehind.map(({ store }) => store.length));
  return leftBehind.map(({ store, until }) => `  ${store.padEnd(width)}  ${until}`).join('\n');
}
