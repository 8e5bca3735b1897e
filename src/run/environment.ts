import type { ProviderLaunch, ProviderSpec } from "../ports/provider.ts";

/** Always passed on to agents when set; everything else a provider must name. */
const ALLOWED = ["PATH", "HOME", "USER", "LOGNAME", "SHELL", "LANG", "LANGUAGE", "TERM", "TMPDIR", "TZ"];

/** The names alone of what a provider cannot work without and that is not set here. Set to nothing is set. */
export function missingVariables(
  ours: Readonly<Record<string, string | undefined>>,
  { env = [] }: Pick<ProviderSpec, "env">,
): readonly string[] {
  return env.filter((name) => ours[name] === undefined);
}

/** The explicit environment of an agent: an allow-list, the provider's names, and our marker. */
export function agentEnvironment(
  ours: Readonly<Record<string, string | undefined>>,
  launch: Pick<ProviderLaunch, "envNames" | "envSet">,
  ids: { readonly attempt: string; readonly session: string },
): Record<string, string> {
  const env: Record<string, string> = {};
  const names = [
    ...ALLOWED,
    ...launch.envNames,
    ...Object.keys(ours).filter((name) => name.startsWith("LC_")),
  ];
  for (const name of names) {
    const value = ours[name];
    if (value !== undefined) env[name] = value;
  }
  return { ...env, ...launch.envSet, LOOPWRIGHT_ATTEMPT: ids.attempt, LOOPWRIGHT_SESSION: ids.session };
}
