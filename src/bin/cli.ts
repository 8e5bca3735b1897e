#!/usr/bin/env node
import { runAs } from "./run.ts";

void runAs("loopwright", []);
