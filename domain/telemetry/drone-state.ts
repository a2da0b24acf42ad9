/** Drone states by what they say about a flight. Another state, or none, says nothing: the flight goes on, or none begins. */
const isAirborne: Readonly<Record<string, boolean>> = {
  LANDED: false,
  DOCKED: false,
  MANUAL: true,
  GPS_NORMAL: true,
  WAYPOINT: true,
  HOVER: true,
  ORBIT: true,
  RETURNING: true,
};

/** Whether a drone state says that the drone is in the air; undefined when it says nothing. */
export const airborneIn = (droneState: string = ''): boolean | undefined =>
  Object.hasOwn(isAirborne, droneState) ? isAirborne[droneState] : undefined;

/** Whether a drone state says that the drone stands. */
export const isOnGround = (droneState: string | undefined): boolean => airborneIn(droneState) === false;
