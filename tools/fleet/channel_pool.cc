#include "tools/fleet/channel_pool.h"

#include <fstream>

namespace holdfast::fleet {

std::string ChannelPool::Target() const {
  if (port_file_.empty()) return server_;
  std::ifstream file(port_file_);
  std::string target;
  file >> target;
  return target;
}

std::shared_ptr<grpc::Channel> ChannelPool::Get(std::size_t worker) {
  const std::string target = Target();
  if (target.empty()) return nullptr;
  const std::size_t index = worker / kWorkersPerChannel;
  const std::lock_guard lock(mutex_);
  if (channels_.size() <= index) channels_.resize(index + 1);
  Entry& entry = channels_[index];
  if (!entry.channel || entry.target != target) entry = {target, client::MakeInsecureChannel(target)};
  return entry.channel;
}

}  // namespace holdfast::fleet
