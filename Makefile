# Needs a POSIX shell, make and a JDK 25; `make help` lists what can be made.

# Words given on the command line reach the recipes as they are: a `$` in a prompt is a `$`.
override DIR := $(value DIR)
override PROMPT := $(value PROMPT)
SECONDS ?= 0
SEED ?= 1
TOOL_SECONDS ?= 62
SCENARIOS ?= all
PORT ?= $(or $(ERRAND_PORT),8080)
export DIR PROMPT PORT

override JAVA_HOME := $(shell JAVA_HOME='$(JAVA_HOME)' sh scripts/find-jdk)
export JAVA_HOME

JAR := target/quarkus-app/quarkus-run.jar
SOURCES := pom.xml $(shell find src/main -type f)
JAVA := "$$JAVA_HOME/bin/java"
MVN := ./mvnw -B
# The steps of `mvnw package` that make the service, without the libraries and plug-ins that only tests need.
BUILD := $(MVN) -q -ntp resources:resources quarkus:generate-code compiler:compile jar:jar quarkus:build -Danalysis=off

.DEFAULT_GOAL := help
.PHONY: help demo demo-mcp film run key build test test-console test-all chaos chaos-bugs bench bench-console profile dashboards shots sbom dist dev fmt clean jdk

help: ## list these targets
	@sed -n 's/^\([a-z-]*\):.*## /\1	/p' Makefile | while IFS='	' read -r target text; do printf '  make %-12s %s\n' "$$target" "$$text"; done

demo: build ## watch an agent delegate a task over a source tree while its node is killed: DIR=<folder> PROMPT="<question>" PORT=<port>
	@$(JAVA) -cp 'target/quarkus-app/lib/main/*' demo/Demo.java; result=$$?; sh deploy/cache.sh target/quarkus-app; exit $$result

demo-mcp: build ## watch Claude Code (installed by npm, without an account; a small client if npm is missing) delegate over MCP while it and the service are killed
	@$(JAVA) -cp 'target/quarkus-app/lib/main/*' demo/McpDemo.java; result=$$?; sh deploy/cache.sh target/quarkus-app; exit $$result

film: build ## record docs/images/demo.svg from a run of make demo: PORT=<port>
	@sh deploy/cache.sh target/quarkus-app now
	@rm -rf target/film
	@ERRAND_HOME=target/film FILM=docs/images/demo.svg $(JAVA) -cp 'target/quarkus-app/lib/main/*' demo/Demo.java; result=$$?; kill "$$(cat target/film/demo-$$PORT.pid)"; exit $$result

run: build ## start the service in the foreground, with a database of its own: PORT=<port> DIR=<further folder that agents may work in>
	@escaped() { printf %s "$$1" | sed 's/[\\,]/\\&/g'; }; \
	test -z "$$DIR" || export ERRAND_WORKSPACES_ROOTS="$${ERRAND_WORKSPACES_ROOTS:-$$(escaped "$${ERRAND_WORKSPACE:-.}")},$$(escaped "$$DIR")"; \
	ERRAND_PORT="$$PORT" exec sh deploy/start.sh target/quarkus-app

key: build ## make a key at the running service, which runs with ERRAND_ADMIN_KEY: NAME=<name> ROLE=viewer|agent|operator|admin|metrics PORT=<port>
	@ERRAND_PORT="$$PORT" $(JAVA) -jar $(JAR) key create --name "$(NAME)" --role "$(or $(ROLE),agent)"

build: $(JAR) ## build the service, if its sources are newer

$(JAR): $(SOURCES) | jdk
	@echo "Building Errand. The first time this downloads its libraries, which takes some minutes."
	@$(BUILD)
	@sh deploy/unseal.sh target/quarkus-app
	@touch $@

test: jdk ## check format, analyse, run all tests
	@rm -rf target/surefire-reports target/failsafe-reports
	@sh scripts/test-lanes $(TEST_OPTIONS); result=$$?; sh scripts/test-slowest; sh scripts/test-totals; exit $$result

test-all: ## make test with rare tests and every way to interrupt the service
	@$(MAKE) --no-print-directory test TEST_OPTIONS='-Dtests=all -Dchaos.scenarios=all -Dchaos.races=60 -Dchaos.rounds=300 -Dchaos.pause=300 -Dtenants.requests=1500'

test-console: jdk ## use the console in a real browser, and try what web pages of other sites can do; needs chromium and chromedriver
	@command -v chromedriver >/dev/null || { echo "No chromedriver found. On Debian: apt-get install chromium chromium-driver" >&2; exit 1; }
	@ERRAND_TEST_CHROMIUM=required $(MVN) -q -ntp verify -Danalysis=off -Dspotless.check.skip=true -Dtest=NoSuch -Dsurefire.failIfNoSpecifiedTests=false -Dit.test='Console*IT,BrowserIT'

CHAOS := $(MVN) -q -ntp verify -Danalysis=off -Dspotless.check.skip=true -Dtest=NoSuch -Dsurefire.failIfNoSpecifiedTests=false -Dchaos.races=60 -Dchaos.rounds=300 -Dchaos.pause=300

chaos: jdk ## interrupt several nodes in every way there is, 17 minutes or longer: SECONDS=<n> SEED=<n> SCENARIOS=<names> TOOL_SECONDS=<n>
	@$(CHAOS) -Dit.test=ChaosIT -Dchaos.scenarios=$(SCENARIOS) -Dchaos.seconds=$(SECONDS) -Dchaos.seed=$(SEED) -Dchaos.tool.seconds=$(TOOL_SECONDS)

chaos-bugs: jdk ## put bugs into copies of the service and see that make chaos finds each
	@$(CHAOS) -Dit.test=SeededBugsIT -Dchaos.bugs=all

bench: jdk ## measure the packaged service next to the limits of this machine, on a quiet machine: ROUNDS=<n> PARTS=start,latency,throughput,turns,in-flight,limits,cost,idle; parts that take long: waiting,parked,polls,history,deletion,nodes,dbos,fairness
	@$(BUILD) -Dquarkus.package.jar.type=fast-jar -Dquarkus.package.output-directory=plain-app
ifneq ($(findstring dbos,$(PARTS)),)
	@$(MVN) -q -ntp -f src/test/dbos/pom.xml dependency:copy-dependencies -DoutputDirectory=$(CURDIR)/target/dbos || echo "The DBOS libraries could not be downloaded."
endif
	@$(CHAOS) -Dit.test=BenchRun -Dbench.rounds=$(or $(ROUNDS),3) $(if $(PARTS),-Dbench.parts=$(PARTS)) $(BENCH_OPTIONS) -Dbench.plain.jar=$(CURDIR)/target/plain-app/quarkus-run.jar

profile: jdk ## record what the service and its database do for background tasks: target/profile.jfr, target/profile.txt
	@$(CHAOS) -Dit.test=BenchRun -Dbench.rounds=1 -Dbench.parts=profile

dashboards: jdk ## run a mixed load with failures and render the dashboards as images; needs Prometheus: SECONDS=<n>
	@$(CHAOS) -Dit.test=DashboardRun -Ddashboards.seconds=$(or $(filter-out 0,$(SECONDS)),300)

shots: jdk ## make the pictures and the film of the console in docs/images; needs chromium and chromedriver
	@ERRAND_TEST_CHROMIUM=required $(CHAOS) -Dit.test=ShotsRun

bench-console: jdk ## measure the console in a real browser, on a quiet machine; needs chromium and chromedriver
	@ERRAND_TEST_CHROMIUM=required $(CHAOS) -Dit.test=ConsoleSpeedRun

SBOM := quarkus:dependency-sbom -Dquarkus.dependency.sbom.runtime-only=true -Dquarkus.dependency.sbom.output-file=target/errand.cdx.json

sbom: jdk ## write target/errand.cdx.json: all libraries of the service with licences and checksums (CycloneDX)
	@$(MVN) -q -ntp $(SBOM)

dist: jdk ## write target/errand-<version>.tar.gz: the service, its cache recipe, manifests, dashboards, docs, bill of materials, checksums
	@$(BUILD) $(SBOM) -Dplatforms=all
	@sh deploy/unseal.sh target/quarkus-app
	@sh scripts/dist "errand-$$(sed -n 's:^  <version>\(.*\)</version>:\1:p' pom.xml | head -n 1)"

dev: jdk ## run with hot reload: change a source, ask again
	@ERRAND_PORT="$$PORT" $(MVN) -ntp quarkus:dev -Danalysis=off -Dquarkus.analytics.disabled=true -Dspotless.check.skip=true

fmt: jdk ## format the sources
	@$(MVN) -q -ntp spotless:apply

clean: ## remove what was built; the data in .errand stay
	@rm -rf target

jdk:
	@test -n "$$JAVA_HOME" || { echo "No JDK 25 found: install one (https://adoptium.net), or set JAVA_HOME to its folder." >&2; exit 1; }
