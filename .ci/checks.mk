# The checks of .ci/run, as a graph for `make --jobs 2`: two at a time, in the order of `names`, each after those behind its
# bar. A check that fails holds no other up (.ci/check).

check = @.ci/check '$@'

# Each takes both processors, so none stands beside another: each after the one before it.
busy := lint types tests runner-tests browser-tests smoke-tests typescript-client
# They wait most of their time, or take one processor.
single := fault-trials schemathesis faults-of-channels faults-with-own-stacks guides generators python-client \
	client-cases go-client platform-adapter platform-conformance simulated-fleet-conformance packages model ministack \
	dynamodb-local lambda-runtime newman bench-tests
lanes := cdk-nag cfn-lint mission-files oasdiff asyncapi-parser gdal geographiclib njs redocly actionlint advisories
brief := format unused sbom $(lanes)
# Nothing beside them: no other alarm may ring (docs/decisions/tests.md), and a constant rate needs a quiet machine.
alone := k6 alarms

.PHONY: all names $(busy) $(single) $(brief) $(alone)
all: $(busy) $(single) $(brief) $(alone)
names:
	@echo $(busy) $(single) $(brief) $(alone)

# $(1): checks, each after the one before it.
one-by-one = $(if $(word 2,$(1)),$(eval $(word 2,$(1)): | $(firstword $(1)))$(call one-by-one,$(wordlist 2,99,$(1))))
$(call one-by-one,$(busy))
$(call one-by-one,$(alone))
$(firstword $(alone)): | $(busy) $(single) $(brief)

types lint format unused:
	$(check) npm run --silent $@
sbom:
	$(check) sh -c 'npm run --silent sbom > sbom.cdx.json'
tests:
	$(check) env PROPERTY_RUNS=all npm test
runner-tests:
	$(check) npm test --workspace cloud-assembly-runner
bench-tests:
	$(check) npm run --silent test:bench
browser-tests:
	$(check) npm run --silent test:browser
smoke-tests:
	$(check) npm run --silent test:smoke
typescript-client:
	$(check) npm run --silent test:clients
client-cases:
	$(check) npm run --silent test:client-cases
python-client:
	$(check) npm run --silent test:python
go-client:
	$(check) npm run --silent test:go
packages:
	$(check) npm run --silent test:packages
guides:
	$(check) npm run --silent test:guides
platform-adapter:
	$(check) npm run --silent test:adapter
platform-conformance:
	$(check) npm run --silent platform-conformance
simulated-fleet-conformance:
	$(check) npm run --silent platform-conformance -- --simulated-fleet
model:
	$(check) npm run --silent model -- --operations 1000

# Three stacks instead of one: their test files run one after the other on each.
faults = npm run --silent test:faults -- --testPathPatterns
fault-trials:
	$(check) $(faults) '/(trials|documents|topic-subscribers)\.test'
faults-of-channels:
	$(check) $(faults) '/faults/(commands|cut-off-clients)\.test'
faults-with-own-stacks:
	$(check) $(faults) '/(killed|dead-letter-queues)\.test'
alarms:
	$(check) $(faults) '/alarms\.test'

schemathesis generators ministack dynamodb-local lambda-runtime newman k6 $(lanes):
	$(check) npm run --silent outsiders -- $@
