/** What the age of a device's state depends on. */
interface Aged {
  /** When the device measured it. */
  readonly timestamp: string;
  /** When the service received it. */
  readonly receivedAt: string;
  /** Seconds, as the service says in a snapshot. */
  readonly age?: number | undefined;
}

/**
 * How old a message of telemetry was when the service sent it, in seconds: of a snapshot its `age`, of a sample the time from its
 * measurement to its arrival at the service. Never negative, and independent of the clock of this machine.
 */
export const ageOf = ({ timestamp, receivedAt, age }: Aged): number =>
  age ?? Math.max(0, (Date.parse(receivedAt) - Date.parse(timestamp)) / 1000);
