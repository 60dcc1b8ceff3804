# The two commands of a fresh machine are `make run` and `make test`. What takes more than a line is in scripts/.
.DEFAULT_GOAL := help
.PHONY: help run dev demo check test test-long bench screenshot static notices openapi clean

help: ## this list
	@sed -n 's/^\([a-z-]*\):.*## /\1\t/p' $(MAKEFILE_LIST) | expand -t 14

run: ## build everything and start the server
	@scripts/check-prerequisites
	cargo run --locked --release

demo: ## the same with a scripted model and recorded upstreams: no keys, no network
	@scripts/check-prerequisites
	cargo run --locked --example demo

dev: ## server and dashboard with reload
	@scripts/dev

check: ## format, lints, types, rules of the house, licences
	@scripts/check

test: ## all tests that fit in about 25 minutes on two cores; installs Chromium where apt-get is
	@scripts/test

test-long: ## lints, long tests, static binary, mutants; says what it skipped
	@scripts/test-long

bench: ## benchmarks, to target/bench/report.md
	@scripts/bench

screenshot: ## docs/screenshot.png, made by the browser tests
	@SCREENSHOT=$(CURDIR)/docs/screenshot.png scripts/browser-tests

static: ## a binary without shared libraries: musl, else glibc
	@scripts/static-binary

notices: ## THIRD-PARTY-NOTICES.txt
	@scripts/npm-install
	@scripts/notices

openapi: ## dashboard/openapi.json and the types made from it
	@scripts/npm-install
	cargo run --locked --quiet -- openapi > target/openapi.json
	mv target/openapi.json dashboard/openapi.json
	cd dashboard && npm run api

clean: ## everything that was built or installed here
	cargo clean
	rm -rf dashboard/dist dashboard/node_modules
