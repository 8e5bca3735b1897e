export { type AcceptanceRule, BUILTIN_RULES, DEFAULT_RULE, parseRule, REVIEW_RULE } from "./parse.ts";
