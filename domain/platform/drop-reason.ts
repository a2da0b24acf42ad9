/**
 * Why an event of the drone platform, or a sample in one, was not applied: in the log, in `report.rejected`, and in
 * docs/platform.md. Repeats and late events are normal where delivery is at least once and unordered, so the platform
 * is not told of them.
 */
export const dropReasons = {
  repeated: { says: 'It, or one that says the same, has been applied.', isTold: false },
  late: { says: 'A later one has been applied, or the time for it is over.', isTold: false },
  early: { says: 'What it follows has not arrived, in five attempts.', isTold: true },
  contradictory: {
    says: 'No way of the lifecycle leads from the status of the job to the one reported.',
    isTold: true,
  },
  unknown: { says: 'The job, device or command does not exist, or no longer.', isTold: true },
  malformed: {
    says: 'It has an unknown type, a field that is missing or wrong, or an identifier that does not belong there.',
    isTold: true,
  },
} as const;
export type DropReason = keyof typeof dropReasons;
