import type { FastifyInstance } from 'fastify';
import { type Contract, type Operation, routePath } from '../contract.ts';

/** The methods that are answered for; OPTIONS is left to the handler of CORS preflights. */
const METHODS = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'] as const;

/** The methods of each path of a contract. */
function methodsByPath({ operations }: Contract): Map<string, Operation['method'][]> {
  const methods = new Map<string, Operation['method'][]>();
  for (const { method, path } of Object.values(operations)) {
    const url = routePath(path);
    methods.set(url, [...(methods.get(url) ?? []), method]);
  }
  return methods;
}

/**
 * Answers method_not_allowed with Allow where a path of the contract is asked by another method; a service whose table does
 * not know that failure answers not_found.
 */
export function refuseOtherMethods(app: FastifyInstance, contract: Contract): void {
  const fail = contract.errors.method_not_allowed;
  if (fail === undefined) return;
  for (const [url, methods] of methodsByPath(contract)) {
    const allowed = methods.flatMap((method) => (method === 'GET' ? ['GET', 'HEAD'] : [method]));
    const failure = () => fail({ headers: { Allow: allowed.join(', ') } });
    app.route({
      method: METHODS.filter((method) => !methods.some((known) => known === method)),
      url,
      // Before anything of the body is read.
      onRequest: async () => {
        throw failure();
      },
      handler: () => {
        throw failure();
      },
    });
  }
}
