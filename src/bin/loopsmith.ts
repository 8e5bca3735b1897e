#!/usr/bin/env node
import { fromLoopsmith } from "../cli/loopsmith.ts";
import { runAs } from "./run.ts";

void runAs("loopwright", [], { translate: fromLoopsmith });
