import { fail, ok, type Result } from "../core/result.ts";
import type { Loop } from "../formats/loop/index.ts";
import type { Containers } from "../ports/containers.ts";

/**
 * What a person is told of the containers that a loop asks for. Problem: in production, where something weaker would
 * have to take their place here.
 */
export async function containerLines(containers: Containers, loop: Loop): Promise<Result<readonly string[]>> {
  const pieces = loop.pieces.filter(({ isolation }) => isolation.mode === "container");
  const images = new Set(
    pieces.flatMap(({ isolation }) => {
      const image = isolation.mode === "container" ? (isolation.image ?? loop.containerImage) : undefined;
      return image === undefined ? [] : [image];
    }),
  );
  if (images.size === 0) return ok([]);
  const runtime = await containers.runtime();
  if (runtime.ok) return ok([`containers  ${[...images].join(", ")} (${runtime.value})`]);
  const { message } = runtime.problem;
  if (loop.environment === "prod") {
    return fail("container-unavailable", `no container can be had here: ${message}`, {
      hint: "start Docker or podman; production takes nothing weaker",
    });
  }
  return ok([`degraded: no container can be had here (${message}): sandboxes take their place`]);
}
