/** The part of the library that this provider uses; the package brings no types of its own. */
declare module 'oidc-provider' {
  import type { IncomingMessage, ServerResponse } from 'node:http';

  export interface Client {
    clientId: string;
    compareClientSecret(secret: string): boolean;
    grantTypeAllowed(type: string): boolean;
    clientAuthMethod: string;
  }

  /** What is stored of a token, grant, session or interaction. */
  export type Payload = Record<string, unknown> & {
    uid?: string;
    userCode?: string;
    grantId?: string;
    consumed?: number;
  };

  export interface TokenContext {
    oidc: {
      provider: Provider;
      client: Client;
      params: Record<string, string | undefined>;
      session: { accountId?: string; grantIdFor(clientId: string): string | undefined };
      result?: { consent?: { grantId?: string } };
      entity(name: string, value: unknown): void;
    };
    body: unknown;
  }

  export interface Grant {
    addOIDCScope(scope: string): void;
    addResourceScope(resource: string, scope: string): void;
    save(): Promise<string>;
  }

  export interface Token {
    kind: string;
    accountId?: string;
    clientId?: string;
    scope?: string;
    exp?: number;
    iat?: number;
    isValid: boolean;
    expiration: number;
    tokenType: string;
    resourceServer?: unknown;
    save(): Promise<string>;
  }

  export interface IdToken {
    scope: string;
    set(claim: string, value: unknown): void;
    issue(options: { use: 'idtoken' }): Promise<string>;
  }

  interface TokenModel {
    new (values: Record<string, unknown>): Token;
    find(value: string): Promise<Token | undefined>;
  }

  export class Provider {
    constructor(issuer: string, configuration: Record<string, unknown>);
    issuer: string;
    Client: { find(id: string): Promise<Client | undefined> };
    Grant: { new (values: Record<string, unknown>): Grant; find(id: string): Promise<Grant> };
    AccessToken: TokenModel;
    RefreshToken: TokenModel;
    IdToken: new (
      claims: Record<string, unknown>,
      options: { ctx: TokenContext },
    ) => IdToken;
    ResourceServer: new (
      identifier: string,
      info: Record<string, unknown>,
    ) => unknown;
    callback(): (request: IncomingMessage, response: ServerResponse) => void;
    registerGrantType(
      name: string,
      handler: (ctx: TokenContext) => Promise<void>,
      parameters: string[],
    ): void;
    interactionDetails(
      request: IncomingMessage,
      response: ServerResponse,
    ): Promise<{ uid: string; prompt: { name: string }; params: Record<string, unknown> }>;
    interactionFinished(
      request: IncomingMessage,
      response: ServerResponse,
      result: Record<string, unknown>,
    ): Promise<void>;
    on(event: 'server_error', listener: (ctx: unknown, error: Error) => void): this;
  }
  export default Provider;

  export const errors: {
    InvalidGrant: new (detail: string) => Error;
    InvalidTarget: new () => Error;
    SessionNotFound: new (detail: string) => Error;
  };

  export const interactionPolicy: {
    base(): {
      get(prompt: 'login' | 'consent'): { checks: { remove(reason: string): void } } | undefined;
    };
  };
}
