import fastifyCors from '@fastify/cors';
import fastifyHelmet from '@fastify/helmet';
import { type FastifyInstance, fastify } from 'fastify';
import type { AnswerHeaders } from '../headers.ts';

/** What helmet sets, asked once: it would work the same headers out anew for each request. */
async function securityHeaders(publicUrl: string): Promise<AnswerHeaders> {
  const app = fastify();
  await app.register(fastifyHelmet, {
    contentSecurityPolicy: {
      useDefaults: false,
      directives: {
        defaultSrc: ["'self'"],
        // The page that browses the interface styles its elements in place.
        styleSrc: ["'self'", "'unsafe-inline'"],
        imgSrc: ["'self'", 'data:'],
        objectSrc: ["'none'"],
        baseUri: ["'none'"],
        formAction: ["'self'"],
        frameAncestors: ["'none'"],
      },
    },
    frameguard: { action: 'deny' },
    hsts: publicUrl.startsWith('https:') && { maxAge: 31_536_000 },
  });
  const headers: Record<string, number | string | string[]> = {};
  app.get('/', async (_request, { raw }) => {
    for (const [name, value] of Object.entries(raw.getHeaders()))
      if (value !== undefined) headers[name] = value;
  });
  await app.inject('/');
  await app.close();
  return headers;
}

/**
 * Security headers of every answer of the gateway itself. The result is for those of a service behind, whose own headers stand
 * over them.
 */
export async function addSecurityHeaders(app: FastifyInstance, publicUrl: string): Promise<AnswerHeaders> {
  const headers = await securityHeaders(publicUrl);
  app.addHook('onSend', (_request, reply, payload, done) => {
    reply.headers(headers);
    done(null, payload);
  });
  return headers;
}

/** Lets pages of the named origins call from a browser. */
export async function addCors(app: FastifyInstance, origins: string[]): Promise<void> {
  if (origins.length === 0) return;
  await app.register(fastifyCors, {
    origin: origins,
    methods: ['GET', 'POST', 'PUT', 'DELETE'],
    allowedHeaders: [
      'Authorization',
      'Content-Type',
      'X-API-Key',
      'Idempotency-Key',
      'X-Correlation-Id',
      'Last-Event-ID',
    ],
    exposedHeaders: [
      'X-Correlation-Id',
      'Location',
      'Retry-After',
      'RateLimit-Limit',
      'RateLimit-Remaining',
      'RateLimit-Reset',
      'Deprecation',
      'Sunset',
      'Link',
    ],
    maxAge: 3600,
    strictPreflight: false,
  });
}
