import { setTimeout as delay } from "node:timers/promises";
import { fail, ok, type Result } from "../../core/result.ts";
import type { Containers } from "../../ports/containers.ts";
import { ask, type ContainerDependencies } from "./client.ts";
import { findRuntime, type Runtime } from "./runtime.ts";
import { wordsOf } from "./words.ts";

const LOOK_MS = 10_000;
const REMOVE_MS = 30_000;
const REMOVE_TRIES = 6;
const REMOVE_PAUSE_MS = 50;

export function createContainers(dependencies: ContainerDependencies): Containers {
  let found: Promise<Result<Runtime>> | undefined;
  const runtime = (): Promise<Result<Runtime>> => {
    found ??= findRuntime(dependencies);
    return found;
  };
  return {
    runtime: async () => {
      const here = await runtime();
      return here.ok ? ok(here.value.label) : here;
    },
    hasImage: async (image) => {
      const here = await runtime();
      if (!here.ok) return here;
      const { program } = here.value;
      const seen = await ask(dependencies, program, ["image", "inspect", image], LOOK_MS);
      if (seen.ok) return ok(undefined);
      return fail(
        "container-unavailable",
        `the image ${image} is not here, and nothing is pulled in a run: ${program} pull ${image}`,
        seen.cause === undefined ? {} : { cause: seen.cause },
      );
    },
    words: async (request) => {
      const here = await runtime();
      return here.ok ? wordsOf(here.value, request) : here;
    },
    remove: async (name) => {
      const here = await runtime();
      if (!here.ok) return;
      // Podman's first try can fail over a container whose processes were killed, and puts its records right by that;
      // docker's while it removes the container by itself.
      for (let tries = 1; ; tries += 1) {
        const removed = await ask(dependencies, here.value.program, ["rm", "--force", name], REMOVE_MS);
        const isGone = removed.ok || /no such container/i.test(removed.cause ?? "");
        if (isGone || tries === REMOVE_TRIES) return;
        await delay(REMOVE_PAUSE_MS * tries);
      }
    },
  };
}
