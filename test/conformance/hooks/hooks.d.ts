// biome-ignore-all lint/suspicious/noExplicitAny: hooks get what scripts made
type Done = (error?: unknown) => void;
type Result = void | Promise<void>;

export type Step = (context: any, events: any, done: Done) => Result;
export type BeforeRequest = (request: any, context: any, events: any, next: Done) => Result;
export type AfterResponse = (
  request: any,
  response: any,
  context: any,
  events: any,
  next: Done,
) => Result;
export type OnError = (error: any, request: any, context: any, events: any, next: Done) => Result;
export type WhileTrue = (context: any, next: (goOn: boolean) => void) => void;
export type IfTrue = (vars: any) => boolean;
