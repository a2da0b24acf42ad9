"""The final states of a job. Generated from domain/jobs/job-lifecycle.ts by `npm run documents`."""

# No state follows these.
FINAL_STATES = (
    "COMPLETED",
    "FAILED",
    "CANCELLED",
)
