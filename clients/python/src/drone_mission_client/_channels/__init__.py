"""Status channels and telemetry over WSS and MQTTS."""
