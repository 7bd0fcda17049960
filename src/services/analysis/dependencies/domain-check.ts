import type { Client } from '../../../foundation/client.ts';
import type { domainCheck } from '../../domain-check/contract.ts';

/** The part of the domain check that the analysis calls. */
export type DomainCheckClient = Pick<Client<typeof domainCheck>, 'check'>;
