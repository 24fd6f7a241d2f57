#include "tests/import/seed_lists.h"

#include <algorithm>

#include "tests/import/shared_lists.h"

namespace holdfast::importer {
namespace {

constexpr std::size_t kPieceBytes = 4096;
constexpr char kDetected = '\x04';

std::vector<std::string> OwnLists() {
  return {
      "198.18.0.1:80\nhttp://alice:p%40ss@198.18.2.5:8080\n[2001:db8::1]:8080:dave:pw\n# "
      "note\n\n198.18.0.2:8080:Japan\n",
      "proxy.example.com:80,2030-01-01T00:00:00Z\n198.18.0.3:80|1893456000\r\nb\xc3\xbc"
      "cher.example:3128\n",
      "alice:pw:198.18.2.16:8080\nbob:x@198.18.0.9:81 # c\n198.18.0.4 8080\n127:0:0:1:80\n2001:db8::3:8080\n",
      "198.18.0.1:80\r198.18.0.2:81\r198.18.0.3:82",
      "scheme,host,port,username,password,expires_at,capacity,country\nhttp,198.18.20.1,8080,gina,\"p,\"\"w\n1\",,1,"
      "US\n"
      "socks5,198.18.20.2,1080,,,2030-01-01T00:00:00Z,5,DE\nscheme,host,port,username,password,expires_at,capacity,"
      "country\n",
      "ip;port\n198.18.31.1;8080\n\"198.18.31.2\";8080\n",
      "[{\"ip\":\"198.18.10.1\",\"port\":\"80\",\"protocols\":[\"socks4\",\"socks5\"]},\"198.18.0.7:80\",5,null]",
      "{\"data\":[{\"host\":\"198.18.10.2\",\"port\":1,\"username\":\"u\",\"password\":\"\\u00e4\"}],\"total\":7}",
      "{\"ip\":\"198.18.10.3\",\"port\":80,\"ttl\":600}\n{\"code\":113,\"msg\":\"no\",\"data\":[]}\n{\"proxy\":\"a\","
      "\n",
      "{\"data\":{\"proxy_list\":[\"198.18.10.65:20000,1893456000\"]}}",
      std::string("\xff\xfe"
                  "1\0009\0008\000.\0001\0008\000.\0000\000.\0001\000:\0008\0000\000\n\000",
                  30),
  };
}

}  // namespace

std::vector<std::string> SeedLists() {
  std::vector<std::string> seeds;
  for (const std::string& list : OwnLists()) seeds.push_back(kDetected + list);
  const auto shared = SharedLists();
  if (!shared) return seeds;
  for (const char* file : {"quirks.txt", "quirks.csv", "quirks.ndjson", "files/gzip-named-as.txt",
                           "mixed/mixed-100.txt", "json-geonode/json-geonode-100.json", "userpass/userpass-100.txt"}) {
    const std::string bytes = ReadWholeFile(*shared / file);
    for (std::size_t begin = 0; begin < bytes.size() && begin < 8 * kPieceBytes; begin += kPieceBytes) {
      seeds.push_back(kDetected + bytes.substr(begin, kPieceBytes));
    }
  }
  return seeds;
}

}  // namespace holdfast::importer
