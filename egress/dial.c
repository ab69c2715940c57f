/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The check on what is really dialled. curl resolves the name and asks for a
 * socket for each address that it tries; a refused address gets none. A
 * connection out of the pool is checked again before the request is sent on
 * it: it may have been dialled for a call with a wider grant.
 */
#include <arpa/inet.h>
#include <netinet/in.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "address/address.h"
#include "egress/egress.h"

static int refused(struct call *call, enum sk_address_class class,
		   const char *what)
{
	if (class == SK_ADDRESS_PUBLIC ||
	    (class == SK_ADDRESS_PRIVATE && call->private_ok))
		return 0;
	snprintf(call->refused, sizeof(call->refused),
		 "the host resolves to %.64s, a %s address that the policy "
		 "does not allow",
		 what, class == SK_ADDRESS_NEVER ? "special" : "private");
	return 1;
}

static curl_socket_t open_socket(void *data, curlsocktype purpose,
				 struct curl_sockaddr *address)
{
	struct call *call = data;
	const void *bytes = &((struct sockaddr_in *)&address->addr)->sin_addr;
	char text[INET6_ADDRSTRLEN] = "?";

	if (purpose != CURLSOCKTYPE_IPCXN)
		return CURL_SOCKET_BAD;
	if (address->family == AF_INET6)
		bytes = &((struct sockaddr_in6 *)&address->addr)->sin6_addr;
	inet_ntop(address->family, bytes, text, sizeof(text));
	if (refused(call, sk_address_classify(&address->addr), text))
		return CURL_SOCKET_BAD;
	call->dialled = 1;
	return socket(address->family,
		      address->socktype | SOCK_CLOEXEC | SOCK_NONBLOCK,
		      address->protocol);
}

static int before_request(void *data, char *remote, char *local,
			  int remote_port, int local_port)
{
	struct call *call = data;

	(void)local;
	(void)remote_port;
	(void)local_port;
	if (!refused(call, sk_address_classify_text(remote), remote))
		return CURL_PREREQFUNC_OK;
	call_fail(call, SK_FAIL_POLICY, call->refused);
	return CURL_PREREQFUNC_ABORT;
}

void dial_setup(struct call *call)
{
	curl_easy_setopt(call->easy, CURLOPT_OPENSOCKETFUNCTION, open_socket);
	curl_easy_setopt(call->easy, CURLOPT_OPENSOCKETDATA, call);
	curl_easy_setopt(call->easy, CURLOPT_PREREQFUNCTION, before_request);
	curl_easy_setopt(call->easy, CURLOPT_PREREQDATA, call);
}
